/** The memory and the leases of a tick, seen from its coordination. */
import { expect, test } from 'vitest';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Coordination, Mark } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
const leaseMs = 60 * second;
const outageAfterMs = 180 * second;
const nothing = { found: 0, recovered: 0, interrupted: 0, handedOver: 0, lagMs: 0 };
const away = () => Promise.reject(new UnavailableError('store-unavailable', 'The store is away.'));

/** All orders are in shard 0 of the two. `faulty`: the index as sweeps read it. */
function ticking(faulty: (world: RoleScenario) => Partial<Pick<StateStore, 'due'>> = () => ({})) {
  const world = roleScenario();
  const memory = memoryCoordination();
  const calls: string[] = [];
  const marks: Mark[] = [];
  const coordination: Coordination = {
    ...memory,
    acquire(shard, lease, first) {
      calls.push(`${lease.holder} takes ${shard} for ${lease.leaseMs} from ${lease.nowMs}`);
      return memory.acquire(shard, lease, first);
    },
    release(shard, holder, left) {
      calls.push(`${holder} gives ${shard} back`);
      return memory.release(shard, holder, left);
    },
    finish(shard, holder, aliveAt) {
      calls.push(`${holder} gives ${shard} back`);
      return memory.finish(shard, holder, aliveAt);
    },
    remember(mark) {
      marks.push(mark);
      return memory.remember(mark);
    },
  };
  const due: StateStore['due'] = async (query) =>
    query.shard === 0 ? world.store.due(query) : { items: [], cursor: null };
  const store = { dueShards: 2, dueShardsMax: 2, dueShardOf: () => 0, due, ...faulty(world) };
  const { transitions, clock, log } = world;
  const role = supervisor({ store, transitions, clock, log, outageAfterMs });
  const handedOver: number[] = [];
  const sweep = (holder: string) =>
    sweepTick({
      store,
      coordination,
      clock,
      holder,
      leaseMs,
      supervisor: role,
      lookAhead: async () => {},
      handOver: async (shard) => void handedOver.push(shard),
    });
  return { world, clock, start: clock.now(), memory, calls, marks, handedOver, sweep };
}
/** Another sweep has the shard. */
const hold = (memory: Coordination, nowMs: number, shard: number, first: ShardMemory = noMemory) =>
  memory.acquire(shard, { holder: 'other', nowMs, leaseMs }, first);

test('a tick that handled every shard is complete, with or without work', async () => {
  const { world, clock, marks, sweep } = ticking();
  await sweep('a').tick();
  const first = {
    sweptAt: clock.now(),
    nowMs: clock.now(),
    reachedAt: clock.now(),
    shardCounts: [2],
    complete: true,
  };
  expect(marks).toEqual([first]);
  await world.createClaimed('one');
  clock.jump(12 * second);
  expect(await sweep('b').tick()).toMatchObject({ found: 1, recovered: 1 });
  expect(marks.at(-1)).toEqual({
    ...first,
    sweptAt: clock.now(),
    nowMs: clock.now(),
    reachedAt: clock.now(),
  });
});

test.each([
  ['none, so that of the tick before it', null, -60 * second],
  ['one before it', -5 * second, -5 * second],
  ['one at the same instant', 0, 0],
  ['one that a wrong clock saw in the future', 5 * second, null],
])('a tick that left a shard to another sweep keeps the last complete one: %s', async (...row) => {
  const [, before, expected] = row;
  const { clock, start, memory, marks, sweep } = ticking();
  clock.jump(60 * second);
  const at = (ms: number | null) => (ms === null ? null : clock.now() + ms);
  await memory.remember({
    sweptAt: start,
    nowMs: start,
    reachedAt: at(before),
    shardCounts: [2],
    complete: true,
  });
  await hold(memory, clock.now(), 1);
  expect(await sweep('a').tick()).toEqual(nothing);
  expect(marks).toEqual([
    {
      sweptAt: clock.now(),
      nowMs: clock.now(),
      reachedAt: at(expected),
      shardCounts: [2],
      complete: true,
    },
  ]);
});

test.each([
  ['may', 'more'],
  ['cannot', null],
])(
  'one order that is due is found, where its page says that there %s be more',
  async (_, cursor) => {
    const { world, clock, sweep } = ticking(({ store }) => ({
      async due(query) {
        if (query.shard !== 0 || query.cursor !== null) return { items: [], cursor: null };
        const page = await store.due(query);
        return query.limit === 1 ? { ...page, cursor } : page;
      },
    }));
    await world.createClaimed('one');
    clock.jump(12 * second);
    expect(await sweep('a').tick()).toMatchObject({ found: 1, recovered: 1 });
  },
);

test('an empty page with a cursor is followed', async () => {
  const { calls, start, sweep } = ticking(() => ({
    due: async ({ shard, limit, cursor }) => ({
      items: [],
      cursor: shard === 0 && limit === 1 && cursor === null ? 'more' : null,
    }),
  }));
  expect(await sweep('a').tick()).toEqual(nothing);
  expect(calls).toEqual([`a takes 0 for ${leaseMs} from ${start}`, 'a gives 0 back']);
});

test('an outage is recorded though nothing is due yet, because delayed steps may become due later (R20)', async () => {
  const { clock, start, memory, sweep } = ticking();
  await sweep('a').tick();
  clock.jump(3_600 * second);
  const until = clock.now();
  expect(await sweep('b').tick()).toEqual(nothing);
  const left = { ...noMemory, aliveAt: until, gaps: [{ from: start, until }] };
  const { unfinished } = await memory.recall(2);
  expect([unfinished.get(0), unfinished.get(1)]).toEqual([left, left]);
});

test('a shard that was handed over and is finished by now is not taken again', async () => {
  const { calls, sweep } = ticking();
  await sweep('a').tick();
  expect(await sweep('b').shard(0, () => true)).toEqual(nothing);
  expect(calls).toEqual([]);
});

test('a shard with more than a page is handed over, and one that another sweep holds is not', async () => {
  const { world, clock, memory, handedOver, sweep } = ticking();
  const names = Array.from({ length: limits.sweepPage + 1 }, (_, at) => `order-${at}`);
  await Promise.all(names.map((name) => world.createClaimed(name)));
  clock.jump(12 * second);
  await hold(memory, clock.now(), 1);
  await sweep('a').tick();
  expect(handedOver).toEqual([0]);
});

test('a shard that cannot be reached is marked with when it last was, once', async () => {
  const { clock, start, memory, calls, marks, sweep } = ticking(() => ({
    due: ({ shard }) => (shard === 1 ? away() : Promise.resolve({ items: [], cursor: null })),
  }));
  await memory.remember({
    sweptAt: start,
    nowMs: start,
    reachedAt: start,
    shardCounts: [2],
    complete: true,
  });
  for (const holder of ['a', 'b']) {
    clock.jump(60 * second);
    await expect(sweep(holder).tick()).rejects.toMatchObject({ code: 'store-unavailable' });
  }
  const from = start + 60 * second;
  expect(calls).toEqual([`a takes 1 for ${leaseMs} from ${from}`, 'a gives 1 back']);
  expect([...(await memory.recall(2)).unfinished]).toEqual([[1, { ...noMemory, aliveAt: start }]]);
  expect(marks.map(({ complete, reachedAt }) => [complete, reachedAt])).toEqual([
    [false, start],
    [false, start],
  ]);
});

test('a shard that cannot be reached is left to the sweep that holds it', async () => {
  const { clock, start, memory, calls, sweep } = ticking(() => ({
    due: ({ shard }) => (shard === 1 ? away() : Promise.resolve({ items: [], cursor: null })),
  }));
  await hold(memory, start, 1);
  await expect(sweep('a').tick()).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(calls).toEqual([`a takes 1 for ${leaseMs} from ${clock.now()}`]);
});

test('a shard that another sweep finishes after the recall is swept with the outages recalled (R20)', async () => {
  const { clock, start, memory, sweep } = ticking(() => ({
    async due({ shard }) {
      if (shard === 1) await memory.finish(1, 'other', null);
      return { items: [], cursor: null };
    },
  }));
  const gaps = [{ from: start - 3_600 * second, until: start }];
  await hold(memory, start, 1, { ...noMemory, aliveAt: start, gaps });
  clock.jump(second);
  await sweep('a').tick();
  const left = { ...noMemory, aliveAt: clock.now(), gaps };
  expect([...(await memory.recall(2)).unfinished]).toEqual([[1, left]]);
});

test('no outage is detected when a tick acquires a shard that another one finished after the recall, and dies (R20)', async () => {
  const { clock, start, memory, sweep } = ticking(() => ({
    due: ({ shard }) => Promise.resolve({ items: [], cursor: shard === 0 ? 'more' : null }),
  }));
  await memory.remember({
    sweptAt: start,
    nowMs: start,
    reachedAt: start,
    shardCounts: [2],
    complete: true,
  });
  clock.jump(150 * second);
  await hold(memory, clock.now(), 0);
  await memory.finish(0, 'other', clock.now());
  await hold(memory, clock.now(), 0, { ...noMemory, aliveAt: start });
  clock.jump(61 * second);
  await sweep('a').tick();
  expect((await memory.recall(2)).unfinished.get(0)?.gaps ?? []).toEqual([]);
});

test('a failed repair fails the tick, which is not remembered', async () => {
  const { marks, sweep } = ticking(({ clock }) => ({
    due: ({ from }) => (from > clock.now() ? away() : Promise.resolve({ items: [], cursor: null })),
  }));
  await expect(sweep('a').tick()).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(marks).toEqual([]);
});
