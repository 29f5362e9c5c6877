/** Sweeps while the number of shards is raised, and after it was taken back: no order is left out (R16). */
import { expect, test } from 'vitest';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { DueQuery, StateStore } from '#ports/state-store.ts';
import { isAfterOutage } from '#roles/recovery/shard-memory.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { roleScenario } from './scenario.ts';

const second = 1_000;
const hour = 3_600 * second;
const outageAfterMs = 180 * second;
const dueShardsMax = 6;

/** @param hash of all orders: of so many shards they have that modulo the number; @param at the shard that has them first */
function world(hash: number, at = hash) {
  const of = roleScenario();
  const { clock, log, transitions } = of;
  const coordination = memoryCoordination();
  const asked: DueQuery[] = [];
  let ticks = 0;
  let shard = at;
  let isDown = false;
  const due: StateStore['due'] = async (query) => {
    asked.push(query);
    if (query.shard !== shard) return { items: [], cursor: null };
    const isSweep = query.to < Number.MAX_SAFE_INTEGER;
    if (isDown && isSweep) throw new UnavailableError('aws-unavailable', 'The shard is away.');
    return of.store.due(query);
  };
  const dueShardOf = (_: string, shards: number) => hash % shards;
  return {
    ...of,
    coordination,
    asked,
    /** The shard of the orders is away for sweeps, or not; that it has orders can be seen. */
    fail(fails: boolean) {
      isDown = fails;
    },
    /** The next write of the orders is that of a release which has another shard for them. */
    move(to: number) {
      shard = to;
    },
    /** A tick of a release with this number of shards. */
    tick(dueShards: number) {
      ticks += 1;
      const store = { due, dueShards, dueShardsMax, dueShardOf };
      return sweepTick({
        supervisor: supervisor({ store, transitions, clock, log, outageAfterMs }),
        ...{ store, coordination, clock },
        holder: `tick ${ticks}`,
        leaseMs: 60 * second,
        handOver: async () => {},
        lookAhead: async () => {},
      }).tick();
    },
  };
}

test('orders of a release with more shards are swept from the first tick of that release on, by every release', async () => {
  const { clock, createClaimed, tick } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(12 * second);
  expect(await tick(2)).toMatchObject({ found: 0 });
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
  await createClaimed('two');
  clock.jump(12 * second);
  // The release was taken back, and orders are still in its shards: this one, and the first, which nobody has claimed.
  expect(await tick(2)).toMatchObject({ recovered: 2, interrupted: 1 });
});

test('orders of a release that was taken back before its first tick are found within an hour, and swept from then on', async () => {
  const { clock, createClaimed, tick, coordination } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(hour);
  // No sweep could find it in that hour, as in an outage (R20).
  expect(await tick(2)).toMatchObject({ recovered: 1, interrupted: 1 });
  const { shardCounts, unfinished } = await coordination.recall(2);
  expect(shardCounts).toEqual([2, 5]);
  expect(unfinished.get(4)?.gaps).toEqual([
    { from: 0, until: clock.now() },
    { from: clock.now() - hour, until: clock.now() },
  ]);
  await createClaimed('two');
  clock.jump(60 * second);
  expect(await tick(2)).toMatchObject({ recovered: 2 });
});

test('orders that a tick finds and cannot sweep keep the outage that ended then (R20)', async () => {
  const { clock, createClaimed, tick, fail } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(hour);
  fail(true);
  await expect(tick(2)).rejects.toThrow('The shard is away.');
  fail(false);
  clock.jump(60 * second);
  expect(await tick(2)).toMatchObject({ recovered: 1, interrupted: 1 });
});

test('shards that no tick knows cost reads once per hour', async () => {
  const { clock, tick, asked } = world(0);
  await tick(2);
  expect(asked.filter(({ shard }) => shard >= 2).map(({ limit }) => limit)).toEqual([1, 1, 1, 1]);
  asked.length = 0;
  clock.jump(60 * second);
  await tick(2);
  expect(asked.map(({ shard }) => shard)).toEqual([0, 1]);
});

test('so was one whose first tick did not come to its end, until a tick that knows it does (R20)', async () => {
  const { clock, createClaimed, tick, coordination } = world(4);
  await tick(2);
  clock.jump(60 * second);
  // The first tick of the new release takes the shard, and dies.
  const lease = { holder: 'dies', nowMs: clock.now(), leaseMs: 60 * second };
  await coordination.acquire(4, lease, { ...noMemory, aliveAt: clock.now() });
  await createClaimed('one');
  for (let minutes = 0; minutes < 5; minutes += 1) {
    clock.jump(60 * second);
    await tick(2);
  }
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
});

test('a shard that no tick has swept yet was in an outage, also while its first writes fail (R20)', async () => {
  const { clock, createClaimed, tick, coordination, fail } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(60 * second);
  await tick(2);
  fail(true);
  await expect(tick(5)).rejects.toThrow('The shard is away.');
  clock.jump(60 * second);
  await expect(tick(5)).rejects.toThrow('The shard is away.');
  fail(false);
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
  const { unfinished } = await coordination.recall(5);
  expect([...unfinished.keys()]).toEqual([2, 3, 4]);
});

test('deadline checks are left to sweeps after an outage, and not because a shard is new (R20)', async () => {
  const { clock, createClaimed, tick, coordination, fail } = world(4);
  const isAfter = async () =>
    isAfterOutage(await coordination.recall(5), clock.now(), outageAfterMs);
  await tick(2);
  await createClaimed('one');
  clock.jump(60 * second);
  expect(await isAfter()).toBe(false);
  fail(true);
  await expect(tick(5)).rejects.toThrow('The shard is away.');
  expect(await isAfter()).toBe(false);
  clock.jump(outageAfterMs + 1);
  await expect(tick(5)).rejects.toThrow('The shard is away.');
  fail(false);
  await tick(5);
  expect(await isAfter()).toBe(true);
});

test('an order may have been in a shard that no tick has swept, and was moved back by the former release (R20)', async () => {
  const { clock, createClaimed, tick } = world(4, 0);
  await tick(2);
  await createClaimed('one');
  clock.jump(12 * second);
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
});

test.each([
  ['a release with more shards', 0, 5, 4, [2]],
  ['a release with fewer shards', 4, 1, 0, [5]],
])(
  'orders that %s moves keep the outage of their former shard (R20)',
  async (_, former, count, to, before) => {
    const { clock, createClaimed, tick, fail, move } = world(4, former);
    for (const shards of [...before, count]) await tick(shards);
    await createClaimed('one');
    fail(true);
    for (let minute = 0; minute < 10; minute += 1) {
      clock.jump(60 * second);
      await expect(tick(count)).rejects.toThrow('The shard is away.');
    }
    fail(false);
    move(to);
    expect(await tick(count)).toMatchObject({ recovered: 1, interrupted: 1 });
  },
);

test('orders that a release has moved whose Supervisor has not swept yet keep the outage of their former shard (R20)', async () => {
  const { clock, createClaimed, tick, fail, move } = world(4, 4);
  await tick(5);
  await createClaimed('one');
  fail(true);
  for (let minute = 0; minute < 10; minute += 1) {
    clock.jump(60 * second);
    await expect(tick(5)).rejects.toThrow('The shard is away.');
  }
  fail(false);
  move(0);
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
});

test('orders that no release has moved do not have the outages of other shards', async () => {
  const { clock, createClaimed, tick, coordination } = world(4);
  await tick(5);
  await createClaimed('one');
  const lease = { holder: 'other', nowMs: clock.now(), leaseMs: second };
  const gaps = [{ from: clock.now() - hour, until: clock.now() + second }];
  const afterOutage = { ...noMemory, aliveAt: clock.now(), gaps };
  await coordination.acquire(1, lease, afterOutage);
  await coordination.release(1, 'other', afterOutage);
  clock.jump(12 * second);
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 0 });
});
