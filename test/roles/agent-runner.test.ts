import { expect, test } from 'vitest';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Request } from '#core/model/message.ts';
import {
  type AgentImplementation,
  PermanentFault,
  TransientFault,
} from '#ports/agent-implementation.ts';
import { agentRunner } from '#roles/agent/agent-runner.ts';
import { freeBreaker } from '../support/breakers.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';
import { contract, kitchen, never, served } from './kitchen.ts';

test('the reply has the output of the service and the attempt of the request', async () => {
  const { run, replies } = kitchen(served);
  expect(await run({ attempt: 3 })).toEqual({ kind: 'done' });
  expect(replies).toEqual([
    {
      orderId: 'one',
      step: 'soup',
      attempt: 3,
      action: 'perform',
      result: { kind: 'succeeded', output: { plate: 'soup' } },
    },
  ]);
});

test('a call with a transient fault is retried with the same key and growing delays, until it succeeds (R8)', async () => {
  const { run, clock, calls, replies } = kitchen(async (_, tries) => {
    if (tries < 5) throw new TransientFault('http-503', 'try later');
    return { plate: 'soup' };
  });
  const running = run();
  await clock.advance(9_000);
  await running;
  expect(calls.map(({ at }) => at)).toEqual([0, 75, 225, 525, 1_125]);
  expect(new Set(calls.map(({ call }) => call.idempotencyKey))).toEqual(new Set(['one/soup']));
  expect(replies.map(({ result }) => result.kind)).toEqual(['succeeded']);
});

test('a call with an unknown error is retried too, because its effect is unknown', async () => {
  const { run, clock, calls } = kitchen(async () => {
    throw new TypeError('fetch failed');
  });
  const running = run();
  await clock.advance(11_000);
  await running;
  expect(calls.length).toBeGreaterThan(4);
});

test('no reply is sent after the deadline (R7)', async () => {
  const { run, clock, replies, log } = kitchen(async () => {
    throw new TransientFault('http-503', 'try later');
  });
  const running = run();
  await clock.advance(11_000);
  expect(await running).toEqual({ kind: 'done' });
  expect(replies).toEqual([]);
  expect(log.lines.map(({ event }) => event)).toContain('silent-after-complete-by');
});

test('a call to a service that never answers is abandoned at complete-by, and its signal fires', async () => {
  const { run, clock, replies, calls } = kitchen((call) => {
    expect(call.signal.aborted).toBe(false);
    return never();
  });
  const running = run();
  await clock.advance(10_000);
  expect(calls[0]?.call.signal.aborted).toBe(false);
  await clock.advance(1);
  await running;
  expect(calls[0]?.call.signal.aborted).toBe(true);
  expect(replies).toEqual([]);
});

test('a result after complete-by is not sent, also when the code ignores its signal (R7)', async () => {
  const late = Promise.withResolvers<{ plate: string }>();
  const { run, clock, replies } = kitchen(() => late.promise);
  const running = run();
  await clock.advance(10_001);
  late.resolve({ plate: 'soup' });
  await running;
  await settled();
  expect(replies).toEqual([]);
});

test('a result after the clock has jumped past complete-by is not sent (R7)', async () => {
  const { run, clock, replies } = kitchen(async () => {
    clock.jump(20_000);
    return { plate: 'soup' };
  });
  await run();
  expect(replies).toEqual([]);
});

test('a result at complete-by itself is sent', async () => {
  const { run, clock, replies } = kitchen(async () => {
    clock.jump(10_000);
    return { plate: 'soup' };
  });
  await run();
  expect(replies).toHaveLength(1);
});

test('a request past its complete-by causes no call', async () => {
  const { run, clock, calls, replies } = kitchen(served);
  await run({ completeBy: clock.now() - 1 });
  expect(calls).toEqual([]);
  expect(replies).toEqual([]);
});

test('a request past its complete-by ends for its breaker, which may have kept a slot for it (R22)', async () => {
  const ended: number[] = [];
  const breaker = { ...freeBreaker(), end: ({ attempt }: Request) => ended.push(attempt) };
  const { run, clock } = kitchen(served, {}, { breaker });
  await run({ completeBy: clock.now() - 1, attempt: 3 });
  expect(ended).toEqual([3]);
});

test('a permanent fault is reported at once, with its code and its effect', async () => {
  const { run, calls, replies } = kitchen(async () => {
    throw new PermanentFault('burnt', 'x'.repeat(1_000), 'none');
  });
  await run();
  expect(calls).toHaveLength(1);
  const [reply] = replies;
  expect(reply?.result).toEqual({
    kind: 'failed',
    fault: { code: 'burnt', message: 'x'.repeat(300), effect: 'none' },
  });
});

test.each([
  [1, 'none'],
  [2, 'possible'],
])(
  'an input that does not match its schema is reported; on attempt %i its effect is %s',
  async (attempt, effect) => {
    const { run, calls, replies } = kitchen(served);
    await run({ attempt, input: { dish: 7 } });
    expect(calls).toEqual([]);
    expect(replies[0]?.result).toMatchObject({
      kind: 'failed',
      fault: { code: 'input-invalid', message: expect.stringContaining('dish'), effect },
    });
  },
);

test('an undo gets the key and the output of its perform', async () => {
  const asked: unknown[] = [];
  const { run, replies } = kitchen(served, {
    async undo(target, { idempotencyKey: key }) {
      asked.push({ ...target, key });
    },
  });
  const key = idempotencyKey(orderId('one'), stepName('soup'), 'undo', 1);
  await run({ action: 'undo', idempotencyKey: key, output: { plate: 'soup' } });
  expect(asked).toEqual([
    {
      performKey: 'one/soup',
      key: 'one/soup/undo',
      input: { dish: 'soup' },
      output: { plate: 'soup' },
    },
  ]);
  expect(replies).toMatchObject([{ action: 'undo', result: { kind: 'succeeded', output: null } }]);
});

test('a heartbeat extends the deadline, at most to the end of the attempt', async () => {
  const { run, clock, calls, replies } = kitchen(never);
  const running = run({ endBy: clock.now() + 14_000 });
  const beat = () => calls[0]?.call.heartbeat();
  await clock.advance(4_000);
  beat();
  expect(replies).toEqual([]);
  await clock.advance(2_000);
  beat();
  expect(replies.map(({ result }) => result.kind)).toEqual(['heartbeat']);
  await clock.advance(5_000);
  beat();
  await clock.advance(2_900);
  expect(calls[0]?.call.signal.aborted).toBe(false);
  await clock.advance(200);
  await running;
  expect(calls[0]?.call.signal.aborted).toBe(true);
  beat();
  await settled();
  expect(replies.map(({ result }) => result.kind)).toEqual(['heartbeat', 'heartbeat']);
});

test('a request is delivered again when its reply could not be sent', async () => {
  const { run } = kitchen(served, {}, { canSend: false });
  expect(await run()).toEqual({ kind: 'retry' });
});

const refusing = (gate: 'concurrency' | 'circuit') => ({ gate, retryAfterMs: 700 }) as const;

test('an attempt that its breaker does not let begin is given back without a call', async () => {
  const { run, replies, calls } = kitchen(
    served,
    {},
    { breaker: { ...freeBreaker(), begin: async () => refusing('concurrency') } },
  );
  await run();
  expect(calls).toEqual([]);
  expect(replies).toMatchObject([
    { attempt: 1, result: { kind: 'deferred', gate: 'concurrency', retryAfterMs: 700 } },
  ]);
});

test('an attempt that is given back for days, by a wrong clock, is held no longer than a look allows', async () => {
  const dayMs = 86_400_000;
  const free = freeBreaker();
  const { run, replies } = kitchen(
    served,
    {},
    { breaker: { ...free, admit: () => ({ gate: 'limit', retryAfterMs: 9 * dayMs }) } },
  );
  await run();
  expect(replies).toMatchObject([
    { result: { kind: 'deferred', retryAfterMs: limits.holdLookMaxMs } },
  ]);
});

test('an attempt whose circuit opens between two calls is given back, and ends for its breaker', async () => {
  const ended: number[] = [];
  let admissions = 0;
  const free = freeBreaker();
  const { run, replies, calls, clock } = kitchen(
    async () => {
      throw new TransientFault('http-503', 'try later');
    },
    {},
    {
      breaker: {
        ...free,
        admit(request) {
          admissions += 1;
          return admissions === 1 ? free.admit(request) : refusing('circuit');
        },
        end: ({ attempt }) => ended.push(attempt),
      },
    },
  );
  const running = run();
  await clock.advance(200);
  await running;
  expect(calls).toHaveLength(1);
  expect(ended).toEqual([1]);
  expect(replies).toMatchObject([{ result: { kind: 'deferred', gate: 'circuit' } }]);
});

test('work that never ends is abandoned inside the breaker too, so that the circuit cannot hang', async () => {
  const outcomes: string[] = [];
  const clock = virtualClock();
  const agent: AgentImplementation = { contract, perform: never, async undo() {} };
  const runner = agentRunner(agent, {
    breaker: freeBreaker((end) => outcomes.push(end)),
    clock,
    log: testLog(),
    random: { next: () => 0 },
    replies: { async send() {} },
  });
  const key = idempotencyKey(orderId('one'), stepName('soup'), 'perform', 1);
  const running = runner.handle({
    orderId: orderId('one'),
    workflow: workflowName('dinner'),
    step: stepName('soup'),
    agent: agentName('cook'),
    attempt: 1,
    action: 'perform',
    idempotencyKey: key,
    performKey: key,
    completeBy: clock.now() + 1_000,
    completeWithinMs: 1_000,
    endBy: clock.now() + 1_000,
    input: { dish: 'soup' },
    output: null,
    priority: 'normal',
    tenant: null,
  });
  await clock.advance(1_001);
  await running;
  expect(outcomes).toEqual(['failed']);
});

/** A breaker whose circuit is half-open: its one call is the probe, after which it refuses. */
function probing() {
  let isOpen = false;
  const breaker = freeBreaker((end) => {
    isOpen = end === 'failed';
  });
  return {
    ...breaker,
    admit(request: Parameters<typeof breaker.admit>[0]) {
      if (isOpen) return { gate: 'circuit', retryAfterMs: 4_000 } as const;
      return { ...breaker.admit(request), isProbe: true };
    },
  };
}

test('a probe that gets no answer is given back before complete-by, and its signal fires', async () => {
  const { run, clock, replies, calls } = kitchen(never, {}, { breaker: probing() });
  const running = run();
  await clock.advance(9_000);
  expect(replies).toEqual([]);
  await clock.advance(1);
  expect(await running).toEqual({ kind: 'done' });
  expect(calls.map(({ call }) => call.signal.aborted)).toEqual([true]);
  expect(replies.map(({ result }) => result)).toEqual([
    { kind: 'deferred', gate: 'circuit', retryAfterMs: 4_000 },
  ]);
});

test('code that ignores its signal sends no heartbeats for an attempt that was given back (R7)', async () => {
  const { run, clock, calls, replies } = kitchen(never, {}, { breaker: probing() });
  const running = run({ endBy: clock.now() + 60_000 });
  await clock.advance(9_100);
  await running;
  calls[0]?.call.heartbeat();
  await settled();
  expect(replies.map(({ result }) => result.kind)).toEqual(['deferred']);
});

test('a probe that fails at once is given back at once', async () => {
  const failing = async () => {
    throw new TransientFault('http-503', 'try later');
  };
  const { run, clock, replies } = kitchen(failing, {}, { breaker: probing() });
  const running = run();
  await clock.advance(0);
  await running;
  expect(replies.map(({ result }) => result.kind)).toEqual(['deferred']);
});

test('a probe that is answered replies as any other call', async () => {
  const { run, replies } = kitchen(served, {}, { breaker: probing() });
  await run();
  expect(replies.map(({ result }) => result.kind)).toEqual(['succeeded']);
});

test('an attempt that waits for a limit asks again within two seconds, because its clock may be set meanwhile', async () => {
  const free = freeBreaker();
  const refusals = [8_000, 100];
  const breaker = {
    ...free,
    admit(request: Request) {
      const retryAfterMs = refusals.shift();
      if (retryAfterMs === undefined) return free.admit(request);
      return { gate: 'limit', retryAfterMs } as const;
    },
  };
  const { run, clock, calls } = kitchen(served, {}, { breaker });
  const running = run();
  await clock.advance(2_100);
  await running;
  expect(calls.map(({ at }) => at)).toEqual([2_100]);
});

test('an attempt whose limit has no further slot in time ends at complete-by, without a reply (R19)', async () => {
  const failing = async () => {
    throw new TransientFault('http-503', 'try later');
  };
  const free = freeBreaker();
  let admissions = 0;
  const breaker = {
    ...free,
    admit(request: Request) {
      admissions += 1;
      const refusal = { gate: 'limit', retryAfterMs: 10_000 } as const;
      return admissions === 1 ? free.admit(request) : refusal;
    },
  };
  const { run, clock, calls, replies, log } = kitchen(failing, {}, { breaker });
  let isDone = false;
  const running = run().then(() => {
    isDone = true;
  });
  await clock.advance(10_000);
  expect(isDone).toBe(false);
  await clock.advance(1);
  await running;
  expect(calls).toHaveLength(1);
  expect(replies).toEqual([]);
  expect(log.lines.at(-1)?.event).toBe('silent-after-complete-by');
});

const unreadable: readonly (readonly [string, () => unknown])[] = [
  [
    'an error whose code throws',
    () =>
      Object.defineProperty(new Error('x'), 'code', {
        get() {
          throw new Error('no code');
        },
      }),
  ],
  [
    'an error whose name throws',
    () =>
      Object.defineProperty(new Error('x'), 'name', {
        get() {
          throw new Error('no name');
        },
      }),
  ],
  [
    'an error whose code is no text',
    () => Object.assign(new Error('x'), { code: Object.create(null) }),
  ],
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
      revoke();
      return proxy;
    },
  ],
  ['a symbol', () => Symbol('x')],
  ['nothing', () => undefined],
];

test.each(unreadable)(
  '%s is a failed call as any other: it is repeated until the deadline, and counts',
  async (_, thrown) => {
    const { run, clock, calls, replies, log } = kitchen(async () => {
      throw thrown();
    });
    const running = run();
    await clock.advance(11_000);
    expect(await running).toEqual({ kind: 'done' });
    expect(calls.length).toBeGreaterThan(4);
    expect(replies).toEqual([]);
    const events = log.lines.map(({ event }) => event);
    expect(events.filter((event) => event === 'call-failed').length).toBeGreaterThanOrEqual(
      calls.length,
    );
    expect(events).not.toContain('reply-failed');
  },
);

test('a permanent fault whose code is a number is reported with its text', async () => {
  const { run, replies } = kitchen(async () => {
    throw Object.assign(new PermanentFault('x', 'Refused.', 'none'), { code: 404 });
  });
  await run();
  expect(replies[0]?.result).toMatchObject({ kind: 'failed', fault: { code: '404' } });
});
