/** Deadline checks: what the Supervisor does when one comes. */
import { expect, test } from 'vitest';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { CorruptDataError, UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { deadlineChecks } from '#roles/recovery/deadline-checks.ts';
import { memoryCoordination } from '../../support/memory-coordination.ts';
import { roleScenario } from '../scenario.ts';

const minute = 60_000;

/** A Supervisor whose last sweep was at the start. The walls of the house are to be complete within 10 s. */
async function supervisorOf(faulty?: (store: StateStore) => StateStore) {
  const world = roleScenario(faulty);
  const start = world.clock.now();
  const coordination = memoryCoordination();
  await coordination.remember({
    sweptAt: start,
    nowMs: start,
    reachedAt: start,
    shardCounts: [1],
    complete: true,
  });
  const sent: DeadlineCheck[] = [];
  const of = (over: Partial<Coordination> = {}) =>
    deadlineChecks({
      ...world,
      coordination: { ...coordination, ...over },
      shards: 1,
      outageAfterMs: 3 * minute,
      checks: { send: async (checks) => void sent.push(...checks) },
    });
  const checkOf = (id: string): DeadlineCheck => ({
    orderId: orderId(id),
    at: start + 10_001,
    claimedAt: start,
  });
  return { ...world, start, coordination, sent, of, checkOf };
}

test('a call that is late counts a failure, and the order is nudged', async () => {
  const { of, checkOf, clock, createClaimed, record, nudges, sent } = await supervisorOf();
  const { orderId: id } = await createClaimed('one');
  clock.jump(10_001);
  expect(await of().onChecks([checkOf('one')])).toEqual([{ kind: 'done' }]);
  expect(await record(id)).toMatchObject({ processState: 'Pending', failureCount: 2 });
  expect(nudges().map((nudge) => nudge.orderId)).toEqual([id]);
  expect(sent).toEqual([]);
});

test('a check before the deadline changes nothing, and is sent again for it', async () => {
  const { of, checkOf, clock, start, createClaimed, record, sent } = await supervisorOf();
  const { orderId: id, revision } = await createClaimed('one');
  clock.jump(5_000);
  const check = { ...checkOf('one'), at: start + 5_000 };
  expect(await of().onChecks([check])).toEqual([{ kind: 'done' }]);
  expect((await record(id)).revision).toBe(revision);
  expect(sent).toEqual([{ orderId: id, at: start + 10_001, claimedAt: start }]);
});

test('a check that its own instance receives before its time is delivered again', async () => {
  const { of, clock, checkOf, start, createClaimed, record, sent } = await supervisorOf();
  const { orderId: id } = await createClaimed('one');
  const role = of();
  clock.jump(5_000);
  await role.onChecks([{ ...checkOf('one'), at: start + 5_000 }]);
  clock.jump(5_000);
  expect(await role.onChecks(sent)).toEqual([{ kind: 'retry' }]);
  expect(sent).toHaveLength(1);
  clock.jump(1);
  expect(await role.onChecks(sent)).toEqual([{ kind: 'done' }]);
  expect((await record(id)).processState).toBe('Pending');
});

test('a check that is delivered twice is sent again once', async () => {
  const { of, checkOf, clock, start, createClaimed, sent } = await supervisorOf();
  const { orderId: id } = await createClaimed('one');
  const role = of();
  const check = { ...checkOf('one'), at: start + 5_000 };
  clock.jump(5_000);
  await role.onChecks([check, check]);
  clock.jump(1_000);
  await role.onChecks([check]);
  expect(sent).toEqual([{ orderId: id, at: start + 10_001, claimedAt: start }]);
});

test('after an outage a check does nothing: the sweep knows what the outage delayed', async () => {
  const { of, checkOf, clock, createClaimed, record, sent } = await supervisorOf();
  const { orderId: id, revision } = await createClaimed('one');
  clock.jump(3 * minute + 1);
  expect(await of().onChecks([checkOf('one')])).toEqual([{ kind: 'done' }]);
  expect((await record(id)).revision).toBe(revision);
  expect(sent).toEqual([]);
});

test('a check that comes as late as after an outage leaves the call to sweeps, although ticks reached the shards that they know', async () => {
  const { of, checkOf, clock, coordination, createClaimed, record, sent } = await supervisorOf();
  const { orderId: id, revision } = await createClaimed('one');
  clock.jump(10_000 + 3 * minute + 2);
  const sweptAt = clock.now();
  await coordination.remember({
    ...{ sweptAt, nowMs: sweptAt, reachedAt: sweptAt, shardCounts: [1], complete: true },
  });
  expect(await of().onChecks([checkOf('one')])).toEqual([{ kind: 'done' }]);
  expect((await record(id)).revision).toBe(revision);
  expect(sent).toEqual([]);
});

test('so does one while a shard recovers from an outage', async () => {
  const { of, checkOf, clock, start, coordination, createClaimed, record } = await supervisorOf();
  const { orderId: id, revision } = await createClaimed('one');
  const gaps = [{ from: start - 9 * minute, until: start }];
  const lease = { holder: 'sweep', nowMs: start, leaseMs: minute };
  await coordination.acquire(0, lease, noMemory);
  await coordination.release(0, 'sweep', { ...noMemory, aliveAt: start, gaps });
  clock.jump(10_001);
  await of().onChecks([checkOf('one')]);
  expect((await record(id)).revision).toBe(revision);
});

test('the memory of the sweeps is read once for many checks', async () => {
  const { of, checkOf, clock, coordination, createClaimed } = await supervisorOf();
  await createClaimed('one');
  let recalls = 0;
  const role = of({
    recall(shards) {
      recalls += 1;
      return coordination.recall(shards);
    },
  });
  for (let count = 0; count < 3; count += 1) await role.onChecks([checkOf('one')]);
  expect(recalls).toBe(1);
  clock.jump(6_000);
  await role.onChecks([checkOf('one')]);
  expect(recalls).toBe(2);
});

test.each([
  [new UnavailableError('sweep-unwritten', 'Test.'), 'retry'],
  [new CorruptDataError('record-corrupt', 'Test.'), 'park'],
])('a check whose order cannot be read is kept: %s', async (error, kind) => {
  const { of, checkOf, clock, createClaimed } = await supervisorOf((store) => ({
    ...store,
    commit: () => Promise.reject(error),
  }));
  await createClaimed('one');
  clock.jump(10_001);
  expect(await of().onChecks([checkOf('one')])).toMatchObject([{ kind }]);
});

test('a check that cannot be sent again is lost, and the log says so', async () => {
  const world = await supervisorOf();
  await world.createClaimed('one');
  const role = deadlineChecks({
    ...world,
    shards: 1,
    outageAfterMs: 3 * minute,
    checks: { send: () => Promise.reject(new UnavailableError('messages-unsent', 'Test.')) },
  });
  const check = { ...world.checkOf('one'), at: world.start };
  expect(await role.onChecks([check])).toEqual([{ kind: 'done' }]);
  expect(world.log.lines.map(({ event }) => event)).toEqual(['checks-lost']);
});
