/** The memory, the ramp and the log of the sweeps of one process. */
import { expect, test } from 'vitest';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { settled } from '../support/virtual-clock.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
const outageAfterMs = 30 * second;
const away = () => Promise.reject(new UnavailableError('store-unavailable', 'Later.'));

/** All orders are in the first of the shards. */
function supervise(world: RoleScenario, dueShards = 1) {
  const due: StateStore['due'] = async (query) =>
    query.shard === 0 ? world.store.due(query) : { items: [], cursor: null };
  const { transitions, clock, log } = world;
  return supervisor({ store: { due, dueShards }, transitions, clock, log, outageAfterMs });
}
const memoriesOf = (...left: ShardMemory[]) => new Map(left.entries());
const alive = (aliveAt: number): ShardMemory => ({ ...noMemory, aliveAt });
const events = ({ log }: RoleScenario) => log.lines.map(({ event }) => event);

async function createClaimed(world: RoleScenario, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `order-${at}`);
  await Promise.all(names.map((name) => world.createClaimed(name)));
}

test('a sweep records that it reached its shard, also without due orders, and logs nothing', async () => {
  const world = roleScenario();
  const memories = memoriesOf(alive(world.clock.now() - second));
  await supervise(world).sweep(memories);
  expect(memories).toEqual(memoriesOf(alive(world.clock.now())));
  await createClaimed(world, 1);
  world.clock.jump(12 * second);
  await supervise(world).sweep(memories);
  expect(memories).toEqual(memoriesOf(alive(world.clock.now())));
  expect(world.log.lines).toEqual([]);
});

test('an outage is logged once, with its shard and its duration', async () => {
  const world = roleScenario();
  const from = world.clock.now();
  const memories = memoriesOf(alive(from));
  world.clock.jump(3_600 * second);
  const until = world.clock.now();
  const role = supervise(world);
  expect(await role.sweep(memories)).toMatchObject({ outage: true });
  world.clock.jump(second);
  expect(await role.sweep(memories)).toMatchObject({ outage: true });
  const fields = { shard: 0, from, until };
  expect(world.log.lines).toEqual([{ event: 'outage-detected', fields }]);
});

test('of several outages the last is logged, and only when it is new', async () => {
  const world = roleScenario();
  const now = world.clock.now();
  const old = { from: now - 500 * second, until: now - 400 * second };
  const known = { from: now - 300 * second, until: now - 200 * second };
  const role = supervise(world);
  await role.sweep(memoriesOf({ ...alive(now), gaps: [old, known] }));
  expect(world.log.lines).toEqual([]);
  await role.sweep(memoriesOf({ ...alive(now - 40 * second), gaps: [old, known] }));
  const fields = { shard: 0, from: now - 40 * second, until: now };
  expect(world.log.lines).toEqual([{ event: 'outage-detected', fields }]);
});

test('an outage in the future, which a wrong clock saw, is ignored and not logged', async () => {
  const world = roleScenario();
  const now = world.clock.now();
  const gap = { from: now + 3_600 * second, until: now + 7_200 * second };
  const memories = memoriesOf({ ...alive(now), gaps: [gap] });
  expect(await supervise(world).sweep(memories)).toMatchObject({ outage: false });
  expect(memories).toEqual(memoriesOf(alive(now)));
  expect(world.log.lines).toEqual([]);
});

test('a detected outage is remembered when the sweep fails (R20)', async () => {
  const world = roleScenario((store) => ({ ...store, commit: away }));
  await createClaimed(world, 1);
  const from = world.clock.now();
  const memories = memoriesOf(alive(from));
  world.clock.jump(3_600 * second);
  const until = world.clock.now();
  await expect(supervise(world).sweep(memories)).rejects.toMatchObject({
    code: 'sweep-unwritten',
    message: expect.stringContaining('1 of 1'),
  });
  expect(memories).toEqual(memoriesOf({ ...alive(from), gaps: [{ from, until }] }));
});

test('the report of a sweep is that of all shards', async () => {
  const world = roleScenario();
  const now = world.clock.now();
  const memories = memoriesOf(alive(now - 3_600 * second), alive(now), alive(now));
  const report = await supervise(world, 3).sweep(memories);
  expect(report).toMatchObject({ outage: true, finished: true, startedAt: now });
  expect(supervise(world, 3).shards).toBe(3);
});

test('a sweep with an unfinished shard is unfinished', async () => {
  const world = roleScenario((store) => ({
    ...store,
    commit: (record, replaced) =>
      record.orderId === 'order-0' ? away() : store.commit(record, replaced),
  }));
  const now = world.clock.now();
  await createClaimed(world, 2);
  world.clock.jump(3_600 * second);
  const memories = memoriesOf(alive(now), alive(world.clock.now()));
  expect(await supervise(world, 2).sweep(memories)).toMatchObject({ finished: false });
});

test('without an outage, pages follow each other at once', async () => {
  const world = roleScenario();
  await createClaimed(world, 3);
  world.clock.jump(12 * second);
  const due: StateStore['due'] = (query) => world.store.due({ ...query, limit: 1 });
  const { transitions, clock, log } = world;
  const role = supervisor({ store: { due, dueShards: 1 }, transitions, clock, log, outageAfterMs });
  // Left by a ramp that is over.
  const left = { ...alive(clock.now()), rampAt: clock.now() + 5 * second };
  expect(await role.sweep(memoriesOf(left))).toMatchObject({ recovered: 3 });
});

test('an outage is recovered in a ramp that the shards share', async () => {
  const shards = 100;
  const perSecond = limits.recoveryRampPerSecond / shards;
  const world = roleScenario();
  await createClaimed(world, 2.5 * perSecond);
  const memories = new Map(
    Array.from({ length: shards }, (_, shard) => [shard, alive(world.clock.now())] as const),
  );
  world.clock.jump(3_600 * second);
  const swept = supervise(world, shards).sweep(memories);
  const nudged: number[] = [];
  for (let at = 0; at < 4; at += 1) {
    await settled();
    nudged.push(world.nudges().length);
    await world.clock.advance(second);
  }
  expect(nudged).toEqual([perSecond, 2 * perSecond, 2.5 * perSecond, 2.5 * perSecond]);
  expect(await swept).toMatchObject({ interrupted: 2.5 * perSecond, outage: true, finished: true });
});

const hourAgo = (now: number) => [{ from: now - 7_200 * second, until: now - second }];
test.each([
  ['for the ramp of the sweep before it', hourAgo, 5 * second, 5 * second],
  ['as long as a ramp can ask', hourAgo, 10 * second, 10 * second],
  ['for no ramp that a wrong clock asks for', hourAgo, 10 * second + 1, 0],
  ['for none that is over', hourAgo, 0, 0],
  ['for none without an outage', () => [], 5 * second, 0],
])('a sweep waits %s', async (_, gapsOf, rampMs, waitMs) => {
  const world = roleScenario();
  const start = world.clock.now();
  let lookedAt: number | null = null;
  const due: StateStore['due'] = async (query) => {
    lookedAt ??= world.clock.now() - start;
    return world.store.due(query);
  };
  const { transitions, clock, log } = world;
  const role = supervisor({ store: { due, dueShards: 1 }, transitions, clock, log, outageAfterMs });
  const left = { ...noMemory, aliveAt: start, gaps: gapsOf(start), rampAt: start + rampMs };
  const swept = role.sweep(memoriesOf(left));
  await clock.advance(60 * second);
  await swept;
  expect(lookedAt).toBe(waitMs);
});

test.each([
  [0, []],
  [1, ['sweep-behind']],
])(
  'a sweep that meets an order later than an outage would be is behind (%i ms over)',
  async (...row) => {
    const [over, told] = row;
    const world = roleScenario();
    const { completeBy } = await world.createClaimed('one');
    world.clock.jump((completeBy ?? 0) + 1 + outageAfterMs + over - world.clock.now());
    await supervise(world).sweep(memoriesOf(alive(world.clock.now())));
    expect(events(world)).toEqual(told);
  },
);

test('one order that the store refuses does not fail the sweep', async () => {
  const world = roleScenario((store) => ({
    ...store,
    commit: () => Promise.reject(new TypeError('x is undefined')),
  }));
  await createClaimed(world, 1);
  world.clock.jump(12 * second);
  const report = await supervise(world).sweep(memoriesOf(alive(world.clock.now())));
  expect(report).toMatchObject({ found: 1, recovered: 0, finished: true });
});

test('a repair without a successful write fails; one that found nothing logs nothing', async () => {
  let isAway = false;
  const world = roleScenario((store) => ({
    ...store,
    commit: (record, replaced) => (isAway ? away() : store.commit(record, replaced)),
  }));
  const role = supervise(world);
  await role.repairShard(0);
  expect(world.log.lines).toEqual([]);
  const day = 24 * 3_600 * second;
  world.clock.jump(120 * day);
  const { orderId: id } = await world.createClaimed('one');
  world.clock.jump(-120 * day);
  isAway = true;
  await expect(role.repairShard(0)).rejects.toMatchObject({ code: 'sweep-unwritten' });
  expect(events(world)).toEqual(['recovery-failed']);
  isAway = false;
  await role.repairShard(0);
  expect(await world.record(id)).toMatchObject({ processState: 'Pending' });
});

test('the recovery rate is that of all shards together: as the ramp after an outage, twice as many without one', async () => {
  const [shards, recoveryPerSecond] = [4, 10];
  for (const [outage, perSecond] of [
    [true, 2],
    [false, 4],
  ] as const) {
    const world = roleScenario();
    await createClaimed(world, 9);
    const { transitions, clock, log, store } = world;
    const due: StateStore['due'] = async (query) =>
      query.shard === 0 ? store.due(query) : { items: [], cursor: null };
    const role = supervisor({
      ...{ transitions, clock, log, outageAfterMs, recoveryPerSecond },
      store: { due, dueShards: shards },
    });
    clock.jump(12 * second + (outage ? 3_600 * second : 0));
    const reachedAt = outage ? clock.now() - 3_600 * second : clock.now();
    const memories = memoriesOf(...Array.from({ length: shards }, () => alive(reachedAt)));
    const swept = role.sweep(memories);
    const recovered: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await settled();
      recovered.push(world.nudges().length);
      await clock.advance(second);
    }
    await clock.advance(60 * second);
    expect(await swept).toMatchObject({ outage, recovered: 9 });
    expect(recovered).toEqual([perSecond, 2 * perSecond, Math.min(9, 3 * perSecond)]);
  }
});
