import { expect, test } from 'vitest';
import type { FlowLabel } from '#core/flow/fair-queue.ts';
import { type LocalChannelOptions, localChannel } from '#in-process/channels/local-channel.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { type TestLog, testLog } from '../../support/log.ts';
import { settled, type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

type Receive = LocalChannelOptions<number>['receive'];

function channel(
  receive: Receive,
  limits = { batchMax: 3, inFlightMax: 2 },
): {
  send(...messages: number[]): Promise<void>;
  clock: VirtualClock;
  log: TestLog;
  close(): void;
} {
  const clock = virtualClock();
  const log = testLog();
  const open = localChannel<number>({
    name: 'test',
    receive,
    ...limits,
    retryAfterMs: 250,
    clock,
    log,
  });
  return { clock, log, close: open.close, send: (...messages) => open.send(messages) };
}

const done = (messages: readonly number[]) => messages.map(() => ({ kind: 'done' }) as const);

test('messages are delivered in batches, in their order', async () => {
  const batches: (readonly number[])[] = [];
  const { send } = channel(async (messages) => {
    batches.push(messages);
    return done(messages);
  });
  await Promise.all([send(1, 2, 3, 4), send(5)]);
  await settled();
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a sender does not wait for the receiver', async () => {
  const { send } = channel(() => new Promise(() => {}));
  await send(1);
  await send(2);
});

test('at most the allowed number of batches is in flight; the rest waits', async () => {
  const gates: (() => void)[] = [];
  let most = 0;
  const { send } = channel(
    async (messages) => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate.resolve);
      most = Math.max(most, gates.length);
      await gate.promise;
      return done(messages);
    },
    { batchMax: 1, inFlightMax: 2 },
  );
  await send(1, 2, 3, 4, 5);
  await settled();
  expect(gates).toHaveLength(2);
  for (let at = 0; at < 5; at += 1) {
    gates[at]?.();
    await settled();
  }
  expect(gates).toHaveLength(5);
});

test('a returned message is delivered again after a pause, alone', async () => {
  const seen: number[] = [];
  const { send, clock } = channel(async (messages) => {
    const first = seen.length === 0;
    seen.push(...messages);
    return messages.map(
      (message) => ({ kind: first && message === 2 ? 'retry' : 'done' }) as const,
    );
  });
  await send(1, 2, 3);
  await clock.advance(249);
  expect(seen).toEqual([1, 2, 3]);
  await clock.advance(1);
  expect(seen).toEqual([1, 2, 3, 2]);
});

test('after a failure the receiver gets its whole batch again', async () => {
  const seen: number[] = [];
  const { send, clock, log } = channel(async (messages) => {
    seen.push(...messages);
    if (seen.length <= 2) throw new Error('no store');
    return done(messages);
  });
  await send(1, 2);
  await clock.advance(1_000);
  expect(seen).toEqual([1, 2, 1, 2]);
  expect(log.lines).toEqual([
    { event: 'delivery-failed', fields: { channel: 'test', error: 'no store' } },
  ]);
  expect(clock.pending()).toBe(0);
});

test('a receiver that throws a value other than an Error is logged too', async () => {
  const { send, clock, log } = channel(() => Promise.reject('no'));
  await send(1);
  await clock.advance(1);
  expect(log.lines).toMatchObject([{ fields: { error: 'unknown' } }]);
});

test('of messages with one key that fail again and again one is waited for, after a pause that grows', async () => {
  const clock = virtualClock();
  const seen: string[] = [];
  let isFailing = true;
  const open = localChannel<{ readonly order: string; readonly text: string }>({
    name: 'test',
    receive: async (messages) =>
      messages.map(({ order, text }) => {
        seen.push(text);
        return { kind: isFailing && order === 'bad' ? 'retry' : 'done' } as const;
      }),
    ...{ batchMax: 10, inFlightMax: 2, retryAfterMs: 250, clock, log: testLog() },
    fair: {
      flowOf: () => ({ priority: 'normal' }),
      keyOf: ({ order }) => order,
      weights: tenantWeights(),
    },
  });
  await open.send([{ order: 'bad', text: 'first' }]);
  for (let second = 0; second < 600; second += 1) {
    await clock.advance(1_000);
    // As a sweep does.
    await open.send([
      { order: 'bad', text: `sweep ${second}` },
      { order: 'good', text: 'good' },
    ]);
  }
  expect(clock.pending()).toBe(1);
  expect(seen.filter((text) => text === 'good').length).toBe(600);
  const failed = seen.filter((text) => text !== 'good');
  // After 0.25, 0.5 and 1 s, and then every 2 s.
  expect(failed.length).toBe(303);
  isFailing = false;
  await clock.advance(2_000);
  expect(seen.at(-1)).toBe('sweep 599');
  expect(clock.pending()).toBe(0);
  // It succeeded, so the next pause is the first one.
  isFailing = true;
  await open.send([{ order: 'bad', text: 'again' }]);
  await clock.advance(250);
  expect(seen.slice(-2)).toEqual(['again', 'again']);
  open.close();
});

test('when all is delivered, nothing is left to wait for', async () => {
  const { send, clock } = channel(async (messages) => done(messages));
  await send(1, 2, 3, 4);
  await settled();
  expect(clock.pending()).toBe(0);
});

test.each<[string, () => ReturnType<Receive>]>([
  ['asked for again', async () => [{ kind: 'retry' }]],
  ['not taken', async () => Promise.reject(new Error('no store'))],
])('what is %s when the channel is closed, or after, is not waited for', async (_, answer) => {
  const gates: (() => void)[] = [];
  const { send, clock, close, log } = channel(
    async () => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate.resolve);
      await gate.promise;
      return answer();
    },
    { batchMax: 1, inFlightMax: 2 },
  );
  await send(1, 2);
  await settled();
  gates[0]?.();
  await settled();
  const { length } = log.lines;
  expect(clock.pending()).toBe(1);
  close();
  expect(clock.pending()).toBe(0);
  gates[1]?.();
  await settled();
  expect(clock.pending()).toBe(0);
  await clock.advance(60_000);
  expect([gates.length, log.lines.length]).toEqual([2, length]);
});

test('an unreadable message is logged with its reason and not delivered again (R19)', async () => {
  let calls = 0;
  const { send, clock, log } = channel(async (messages) => {
    calls += 1;
    return messages.map(() => ({ kind: 'park', reason: 'unknown-order' }) as const);
  });
  await send(1);
  await clock.advance(60_000);
  expect(calls).toBe(1);
  expect(log.lines).toEqual([
    { event: 'message-parked', fields: { channel: 'test', reason: 'unknown-order' } },
  ]);
});

test('a closed channel delivers nothing', async () => {
  let calls = 0;
  const { send, close } = channel(async (messages) => {
    calls += 1;
    return done(messages);
  });
  close();
  await send(1);
  await settled();
  expect(calls).toBe(0);
});

test('a flood of one tenant does not delay the messages of another, or of a higher class', async () => {
  const gates: (() => void)[] = [];
  const seen: string[] = [];
  const open = localChannel<FlowLabel>({
    name: 'test',
    receive: async (messages) => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate.resolve);
      await gate.promise;
      seen.push(...messages.map(({ priority, tenant }) => `${priority} ${tenant}`));
      return messages.map(() => ({ kind: 'done' }) as const);
    },
    batchMax: 1,
    inFlightMax: 1,
    fair: { flowOf: (message) => message, weights: tenantWeights() },
    retryAfterMs: 250,
    clock: virtualClock(),
    log: testLog(),
  });
  await open.send(Array.from({ length: 500 }, () => ({ priority: 'low', tenant: 'flood' })));
  await settled();
  await open.send([
    { priority: 'low', tenant: 'calm' },
    { priority: 'high', tenant: 'flood' },
  ]);
  for (let at = 0; at < 4; at += 1) {
    gates[at]?.();
    await settled();
  }
  expect(seen).toEqual(['low flood', 'high flood', 'low flood', 'low calm']);
});

test('thousands of messages are each delivered once', async () => {
  const seen: number[] = [];
  const { send } = channel(async (messages) => {
    seen.push(...messages);
    return done(messages);
  });
  const all = Array.from({ length: 30_000 }, (_, at) => at);
  await send(...all.slice(0, 25_000));
  await settled();
  await send(...all.slice(25_000));
  while (seen.length < all.length) await settled();
  expect(seen).toEqual(all);
});

function delayedChannel() {
  const clock = virtualClock();
  const start = clock.now();
  const seen: string[] = [];
  const open = localChannel<number>({
    name: 'test',
    async receive(messages) {
      seen.push(...messages.map((message) => `${message} at ${clock.now() - start}`));
      return done(messages);
    },
    batchMax: 3,
    inFlightMax: 2,
    retryAfterMs: 250,
    // Each number is its own instant; 0: at once.
    atOf: (message) => (message === 0 ? undefined : start + message),
    clock,
    log: testLog(),
  });
  return { ...open, clock, seen };
}

test('a message with an instant is delivered then, and the others at once', async () => {
  const { send, clock, seen } = delayedChannel();
  await send([700, 0, 300]);
  await settled();
  expect(seen).toEqual(['0 at 0']);
  await clock.advance(1_000);
  expect(seen).toEqual(['0 at 0', '300 at 300', '700 at 700']);
  await send([700]);
  await settled();
  expect(seen.at(-1)).toBe('700 at 1000');
});

test('a closed channel has no timer left of delayed messages', async () => {
  const { send, close, clock, seen } = delayedChannel();
  await send([300, 700]);
  expect(clock.pending()).toBe(1);
  close();
  expect(clock.pending()).toBe(0);
  await clock.advance(1_000);
  expect(seen).toEqual([]);
});
