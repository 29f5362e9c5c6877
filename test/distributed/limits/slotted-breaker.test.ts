/** When the calls of an agent begin that have slots of a rate. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import type { Reply, Request } from '#core/model/message.ts';
import { rateLeases } from '#distributed/limits/rate-leases.ts';
import { slottedBreaker } from '#distributed/limits/slotted-breaker.ts';
import { sharedCircuitBreaker } from '#distributed/shared-circuit-breaker.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { agentRunner } from '#roles/agent/agent-runner.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { contract as cookContract } from '../../roles/kitchen.ts';
import { call } from '../../support/agent-requests.ts';
import { freeBreaker } from '../../support/breakers.ts';
import { testLog } from '../../support/log.ts';
import { memoryCircuits } from '../../support/memory-circuits.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const rate = { name: 'pay/all##rate', everyMs: 100, burst: 1 };
const slots = [{ name: rate.name, everyMs: rate.everyMs }];

let number = 0;
function aRequest(completeBy: number): Request {
  number += 1;
  return { ...call(`o${number}`), completeBy, completeWithinMs: 6_000 };
}

function agent({ isKnown = true } = {}) {
  const clock = virtualClock();
  const log = testLog();
  const table = limitTable();
  let isFailing = false;
  const items = memoryItems({
    ...table,
    advance(name, change) {
      if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      return table.advance(name, change);
    },
  });
  const queueClock = { now: clock.now, isKnown: () => isKnown };
  const breaker = slottedBreaker({ breaker: freeBreaker(), items, queueClock, log });
  /** Whether the call may be made now; else when to ask again, ms from now. */
  async function admit(request: Request): Promise<'now' | number> {
    const admission = await breaker.admit(request);
    return 'gate' in admission ? admission.retryAfterMs : 'now';
  }
  return {
    ...{ clock, log, admit, breaker },
    others: rateLeases(items, clock),
    fail() {
      isFailing = true;
    },
    request: (startInMs: number, startByMs = startInMs + 50): Request => ({
      ...aRequest(clock.now() + 6_000),
      ...{ slots, startAt: clock.now() + startInMs, startBy: clock.now() + startByMs },
    }),
  };
}

test('a request without slots is called at once', async () => {
  const { admit, clock } = agent();
  expect(await admit(aRequest(clock.now() + 6_000))).toBe('now');
});

test('a call waits for its slot, and begins in it', async () => {
  const { admit, request, clock } = agent();
  const own = request(300);
  expect(await admit(own)).toBe(300);
  await clock.advance(300);
  expect(await admit(own)).toBe('now');
});

test('a call that is late, and each further one, leases a slot of its own', async () => {
  const { admit, request, clock, others } = agent();
  const own = request(0);
  await others.lease({
    rate,
    from: clock.now(),
    by: Number.POSITIVE_INFINITY,
    horizonMs: 500,
    isBusy: false,
    isBehind: false,
  });
  await clock.advance(60);
  expect(await admit(own)).toBe(240);
  await clock.advance(240);
  expect(await admit(own)).toBe('now');
  expect(await admit(own)).toBe(100);
});

test('a request whose slot cannot be leased is given back', async () => {
  const { admit, request, clock, others } = agent();
  const own = request(0);
  for (let calls = 0; calls < 30; calls += 1) {
    await others.lease({
      rate,
      from: clock.now(),
      by: Number.POSITIVE_INFINITY,
      horizonMs: 9_000,
      isBusy: true,
      isBehind: false,
    });
  }
  await clock.advance(60);
  expect(await admit(own)).toBeGreaterThanOrEqual(own.completeBy - clock.now());
});

test('a request whose slot is further ahead than any is leased is given back: one of two clocks is wrong', async () => {
  const { admit, request, clock } = agent();
  const own = { ...request(86_400_000), completeBy: clock.now() + 86_406_000 };
  expect(await admit(own)).toBeGreaterThanOrEqual(own.completeBy - clock.now());
});

/** A limit of 1000 calls in an hour, all of which may begin together. */
const hourly = { name: 'pay/hourly##rate', everyMs: 3_600, burst: 1_000 };
const hourlySlot = { name: hourly.name, everyMs: hourly.everyMs };

test.each([
  ['with its burst', { ...hourlySlot, burst: hourly.burst }],
  ['of an older release, without its burst', hourlySlot],
  ['of a former rate that was higher', { ...hourlySlot, everyMs: 100 }],
])('a further call of a request %s gives no slot of a used burst again', async (_, slot) => {
  const { admit, request, clock, others } = agent();
  const ask = {
    ...{ rate: hourly, by: Number.POSITIVE_INFINITY, horizonMs: 2_000 },
    ...{ isBusy: true, isBehind: false },
  };
  for (let calls = 0; calls < hourly.burst; calls += 1)
    expect(await others.lease({ ...ask, from: clock.now() })).toMatchObject({ kind: 'slot' });
  const own = { ...request(0), slots: [slot] };
  expect(await admit(own)).toBe('now');
  expect(await admit(own)).toBeGreaterThanOrEqual(own.completeBy - clock.now());
  await clock.advance(300);
  expect(await others.lease({ ...ask, from: clock.now() })).toMatchObject({ kind: 'full' });
});

test('a further call begins at once where much of the burst is free', async () => {
  const { admit, request, clock, others } = agent();
  for (let calls = 0; calls < 3; calls += 1)
    await others.lease({
      ...{ rate: hourly, from: clock.now(), by: Number.POSITIVE_INFINITY, horizonMs: 2_000 },
      ...{ isBusy: true, isBehind: false },
    });
  const own = { ...request(0), slots: [{ ...hourlySlot, burst: hourly.burst }] };
  expect(await admit(own)).toBe('now');
  expect(await admit(own)).toBe(1);
  await clock.advance(1);
  expect(await admit(own)).toBe('now');
});

test('after a probe that failed, the attempt is given back by the open circuit, and takes no further slot', async () => {
  const clock = virtualClock();
  const log = testLog();
  const queueClock = { now: clock.now, isKnown: () => true, latest: (at: number) => at };
  const circuit = sharedCircuitBreaker({
    ...{ agent: 'paint', instance: 'one', circuits: memoryCircuits(), clock, queueClock, log },
  });
  const table = limitTable();
  let leases = 0;
  const items = memoryItems({
    ...table,
    advance(name, change) {
      leases += 1;
      return table.advance(name, change);
    },
  });
  const breaker = slottedBreaker({ breaker: circuit, items, queueClock, log });
  const replies: Reply[] = [];
  const runner = agentRunner(
    {
      contract: cookContract,
      perform: async () => {
        throw new TransientFault('http-503', 'down');
      },
      undo: async () => {},
    },
    {
      ...{ breaker, clock, log, random: { next: () => 0 } },
      replies: { send: async (some) => void replies.push(...some) },
    },
  );
  const cookRequest = () => ({
    ...aRequest(clock.now() + 4_000),
    ...{ completeWithinMs: 4_000, endBy: clock.now() + 4_000, input: { dish: 'soup' } },
    ...{ slots, startAt: clock.now(), startBy: clock.now() + 1_000 },
  });
  const opening = [1, 2, 3].map(() => runner.handle(cookRequest(), true));
  await clock.advance(5_000);
  await Promise.all(opening);
  expect(breaker.state()).toBe('open');
  replies.length = 0;
  leases = 0;
  await clock.advance(4_000);
  const probe = runner.handle(cookRequest(), true);
  await clock.advance(4_000);
  await probe;
  expect(replies).toMatchObject([{ result: { kind: 'deferred', gate: 'circuit' } }]);
  expect(leases).toBe(0);
});

test('a store that gives no answer is asked again, and that is logged', async () => {
  const { admit, request, clock, fail, log } = agent();
  const own = request(0);
  await clock.advance(60);
  fail();
  expect(await admit(own)).toBe(1_000);
  expect(log.lines.map(({ event }) => event)).toEqual(['limits-unknown']);
});

test('an instance that does not know the time makes only calls that may begin at any time', async () => {
  const { admit, request, clock } = agent({ isKnown: false });
  const own = request(300);
  expect(await admit(own)).toBeGreaterThanOrEqual(own.completeBy - clock.now());
  expect(await admit(request(0, 300))).toBe('now');
});
