/** Orders whose agents have gates: steps are held, and start when a gate grants a call. */
import { expect, test } from 'vitest';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { orderId, schedulerId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { findStep } from '#core/model/record.ts';
import { agentGates } from '#in-process/agent-gates.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import type { Gates } from '#ports/gates.ts';
import type { StateStore } from '#ports/state-store.ts';
import { scheduler } from '#roles/scheduler.ts';
import { slowDown } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { house } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { roleScenario } from './scenario.ts';

const claim: RecordEvent = { type: 'claim', by: schedulerId('scheduler') };
const claimOf = (id: string) => ({ orderId: orderId(id), event: () => claim });

/** Painters that accept so many calls at once. */
async function painters(
  concurrency: number,
  faulty: (store: StateStore) => StateStore = (store) => store,
) {
  const nudged: string[] = [];
  const clock = virtualClock();
  const gate = agentGates({
    concurrencyOf: new Map([['paint', concurrency]]),
    weights: tenantWeights(),
    onCircuit: () => {},
    nudge: ({ orderId: id }) => nudged.push(id),
    log: testLog(),
    clock,
  });
  await slowDown(gate, clock);
  // The gates learn from durable writes what is held.
  const watched = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      const [before] = (await store.records([record.orderId])).values();
      const outcome = await store.commit(record, replaced);
      if (outcome === 'committed') gate.onRecord(record, before ?? null);
      return outcome;
    },
  });
  const world = roleScenario((store) => watched(faulty(store)), [house], undefined, gate);
  const jump = (ms: number) => {
    for (const each of [clock, world.clock]) each.jump(ms);
  };
  return { ...world, gate, nudged, jump };
}

test('a step whose gate grants no call is held, and the others are sent', async () => {
  const { transitions, requests, create, record } = await painters(1);
  const { orderId: id } = await create('one');
  await transitions.apply([claimOf('one')]);
  expect(requests().map(({ step }) => step)).toEqual(['east']);
  const { steps, processState } = await record(id);
  expect(processState).toBe('Processing');
  expect(steps.map(({ progress }) => progress.state)).toEqual(['Running', 'Held', 'NotStarted']);
});

test('an order whose ready steps are all held stays Pending, and counts nothing', async () => {
  const { transitions, create, record, requests } = await painters(2);
  await create('one');
  const { orderId: id } = await create('two');
  await transitions.apply([claimOf('one'), claimOf('two')]);
  expect(requests()).toHaveLength(2);
  expect(await record(id)).toMatchObject({ processState: 'Pending', failureCount: 0 });
});

test('no nudge is delayed for an order that its gates nudge themselves', async () => {
  const { transitions, create, nudges } = await painters(2);
  await create('one');
  await create('two');
  await transitions.apply([claimOf('one'), claimOf('two')]);
  expect(nudges()).toEqual([]);
});

test('a nudge is delayed until the end of a hold where the gates nudge nobody', async () => {
  const clock = virtualClock();
  const until = clock.now() + 2_000;
  const gates: Gates = {
    ask: (requests) => requests.map(() => ({ gate: 'circuit', until })),
    release() {},
  };
  const { transitions, create, nudges } = roleScenario(undefined, [house], undefined, gates);
  const { orderId: id } = await create('one');
  await transitions.apply([claimOf('one')]);
  expect(nudges()).toEqual([{ orderId: id, priority: 'normal', at: until }]);
});

test('a claim that comes before a gate had to be asked again is written only where the gate opens much earlier (R24)', async () => {
  const minute = 60_000;
  const clock = virtualClock();
  const begin = clock.now();
  let until = begin + 15 * minute;
  const gates: Gates = {
    ask: (requests) => requests.map(() => ({ gate: 'limit', queue: 'paint', until })),
    release() {},
  };
  const { transitions, create, nudges, record } = roleScenario(
    ...[undefined, [house], undefined, gates],
  );
  const { orderId: id } = await create('one');
  const claimed = async (next: number) => {
    until = next;
    const [outcome] = await transitions.apply([claimOf('one')]);
    return outcome?.kind;
  };
  expect(await claimed(begin + 15 * minute)).toBe('committed');
  expect(await claimed(begin + 8 * minute)).toBe('ignored');
  expect(await claimed(begin + minute)).toBe('committed');
  expect(nudges().map(({ at }) => at)).toEqual([begin + 15 * minute, begin + minute]);
  // However often it is claimed, its wait is halved a few times at most.
  let writes = 0;
  for (let waitMs = minute - 1; waitMs > 0; waitMs -= 100) {
    if ((await claimed(begin + waitMs)) === 'committed') writes += 1;
  }
  expect(writes).toBeLessThanOrEqual(6);
  expect((await record(id)).notBefore).toBeLessThanOrEqual(begin + 2_000);
});

test('the end of a call nudges the next order, which then starts', async () => {
  const { transitions, gate, nudged, create, requests } = await painters(2);
  await create('one');
  await create('two');
  await transitions.apply([claimOf('one'), claimOf('two')]);
  gate.release(requests());
  expect(nudged).toEqual(['two']);
  await transitions.apply([claimOf('two')]);
  expect(requests().map(({ orderId: id }) => id)).toEqual(['one', 'one', 'two', 'two']);
});

test.each<[string, (store: StateStore) => StateStore]>([
  [
    'was not written',
    (store) => ({
      ...store,
      commit: async () => {
        throw new UnavailableError('store-unavailable', 'no answer');
      },
    }),
  ],
  ['lost to another write', (store) => ({ ...store, commit: async () => 'conflict' })],
])('a decision that %s gives its slots back', async (_, faulty) => {
  const { transitions, gate, create, requests } = await painters(2, faulty);
  await create('one');
  const [outcome] = await transitions.apply([claimOf('one')]);
  expect(outcome?.kind).toBe('failed');
  expect(requests()).toEqual([]);
  const other = await painters(2);
  await other.create('two');
  await other.transitions.apply([claimOf('two')]);
  expect(gate.ask(other.requests())).toEqual([null, null]);
});

test('an order that the store accepts only in its shortest form keeps the slots of what it sends', async () => {
  let isRefused = false;
  const { transitions, gate, clock, create, record, requests } = await painters(2, (store) => ({
    ...store,
    async commit(next, replaced) {
      if (!isRefused) return store.commit(next, replaced);
      isRefused = false;
      clock.jump(10);
      throw new RefusedError('store-refused', 'Over 400 KB.');
    },
  }));
  const one = await create('one');
  await create('two');
  await transitions.apply([claimOf('one')]);
  const painted = requests();
  gate.release(painted);
  const [east, west] = painted.map(({ step, agent, attempt }) => ({
    orderId: one.orderId,
    event: () => ({ type: 'stepSucceeded', step, agent, attempt, output: null }) as const,
  }));
  if (east === undefined || west === undefined) throw new Error('both walls are painted');
  const cancel = { orderId: one.orderId, event: () => ({ type: 'cancel', by: 'x' }) as const };
  await transitions.apply([cancel, east]);
  isRefused = true;
  await transitions.apply([west]);
  const sent = requests().slice(2);
  expect(sent).toMatchObject([{ action: 'undo' }, { action: 'undo' }]);
  const { steps } = await record(one.orderId);
  for (const { step, completeBy } of sent) {
    expect(findStep({ steps }, step)?.progress).toMatchObject({ state: 'Undoing', completeBy });
  }
  await transitions.apply([claimOf('two')]);
  expect(requests()).toHaveLength(4);
});

test('a call that is let through, and not sent because another hold has lasted too long, keeps no slot', async () => {
  const { transitions, gate, jump, nudged, create, requests } = await painters(2);
  await create('one');
  await create('two');
  await transitions.apply([claimOf('one'), claimOf('two')]);
  for (let heldMs = 0; heldMs < limits.holdMaxMs; heldMs += limits.holdLookMaxMs) {
    if (heldMs > 0) await transitions.apply([claimOf('two')]);
    jump(limits.holdLookMaxMs);
  }
  gate.release(requests().slice(0, 1));
  expect(nudged).toEqual(['two']);
  await transitions.apply([claimOf('two')]);
  expect(requests()).toHaveLength(2);
  // Its order cools down, so the slot is for another one.
  await create('three');
  await transitions.apply([claimOf('three')]);
  expect(requests().map(({ orderId }) => orderId)).toEqual(['one', 'one', 'three']);
  expect(nudged).toEqual(['two']);
});

test('an order whose start was not written waits for a slot again, when it is held once more', async () => {
  let isAvailable = true;
  const { transitions, gate, nudged, create, requests } = await painters(2, (store) => ({
    ...store,
    async commit(next, replaced) {
      if (isAvailable) return store.commit(next, replaced);
      throw new UnavailableError('store-unavailable', 'no answer');
    },
  }));
  for (const id of ['one', 'two', 'three']) await create(id);
  await transitions.apply([claimOf('one'), claimOf('two')]);
  gate.release(requests());
  isAvailable = false;
  expect(await transitions.apply([claimOf('two')])).toMatchObject([{ kind: 'failed' }]);
  isAvailable = true;
  await transitions.apply([claimOf('three'), claimOf('two')]);
  gate.release(requests());
  expect(nudged).toEqual(['two', 'two']);
});

test('gates that grant every call are asked once, and change nothing', async () => {
  const asked: number[] = [];
  const gates: Gates = {
    ask(requests) {
      asked.push(requests.length);
      return requests.map(() => null);
    },
    release() {},
  };
  const { transitions, create, record } = roleScenario(undefined, [house], undefined, gates);
  const { orderId: id } = await create('one');
  await transitions.apply([claimOf('one')]);
  expect(asked).toEqual([2]);
  expect((await record(id)).history.at(-1)).not.toHaveProperty('holds');
});

test('a nudge of an order that is Processing starts its held steps', async () => {
  const { transitions, clock, log, gate, create, requests, record } = await painters(1);
  const { orderId: id } = await create('one');
  const role = scheduler({ id: schedulerId('scheduler'), transitions, clock, log });
  await role.onNudges([{ orderId: id, priority: 'normal' }]);
  gate.release(requests());
  await role.onNudges([{ orderId: id, priority: 'normal' }]);
  expect((await record(id)).history.map(({ type }) => type)).toEqual(['submit', 'claim', 'resume']);
  expect(requests().map(({ step }) => step)).toEqual(['east', 'west']);
});
