/** Sweeps while the number of shards is raised, and after it was taken back: no order is left out (R16). */
import { expect, test } from 'vitest';
import type { ShardMemory } from '#core/decide/sweep-gaps.ts';
import type { DueQuery, StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { roleScenario } from './scenario.ts';

const second = 1_000;
const hour = 3_600 * second;
const outageAfterMs = 180 * second;
const dueShardsMax = 6;

/** @param orders the shard that has all orders */
function world(orders: number) {
  const of = roleScenario();
  const { clock, log, transitions } = of;
  const coordination = memoryCoordination();
  const asked: DueQuery[] = [];
  let ticks = 0;
  const due: StateStore['due'] = async (query) => {
    asked.push(query);
    return query.shard === orders ? of.store.due(query) : { items: [], cursor: null };
  };
  return {
    ...of,
    coordination,
    asked,
    /** A tick of a release with this number of shards. */
    tick(dueShards: number) {
      ticks += 1;
      const store = { due, dueShards, dueShardsMax };
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
  expect(await tick(5)).toMatchObject({ recovered: 1 });
  await createClaimed('two');
  clock.jump(12 * second);
  // The release was taken back, and orders are still in its shards: this one, and the first, which nobody has claimed.
  expect(await tick(2)).toMatchObject({ recovered: 2 });
});

test('orders of a release that was taken back before its first tick are found within an hour, and swept from then on', async () => {
  const { clock, createClaimed, tick, coordination } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(hour);
  expect(await tick(2)).toMatchObject({ found: 0 });
  expect(await coordination.recall(2)).toMatchObject({ shards: 5 });
  clock.jump(60 * second);
  expect(await tick(2)).toMatchObject({ recovered: 1 });
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

test('a shard that no tick has swept yet has the outages from which the others recover (R20)', async () => {
  const { clock, createClaimed, tick, coordination } = world(4);
  await tick(2);
  await createClaimed('one');
  clock.jump(600 * second);
  await tick(2);
  clock.jump(second);
  expect(await tick(5)).toMatchObject({ recovered: 1, interrupted: 1 });
  const { unfinished } = await coordination.recall(5);
  const gaps = ({ gaps: own }: ShardMemory) => own.length;
  expect([...unfinished.values()].map(gaps)).toEqual([1, 1, 1, 1, 1]);
});
