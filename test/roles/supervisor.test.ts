import { expect, test } from 'vitest';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId, stepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { supervisor } from '#roles/supervisor.ts';
import type { Transitions } from '#roles/transitions/transitions.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const supervise = (world: RoleScenario, transitions: Transitions = world.transitions) =>
  supervisor({
    store: world.store,
    transitions,
    clock: world.clock,
    log: world.log,
    outageAfterMs: 30_000,
  });
const second = 1_000;
/** As a sweep at that instant leaves it; null: there was none. */
const since = (aliveAt: number | null) => new Map([[0, { ...noMemory, aliveAt }]]);

test('an attempt past complete-by is counted, and the order nudged', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.createClaimed('one');
  world.clock.jump(12 * second);
  const report = await supervise(world).sweep(since(world.clock.now() - second));
  expect(report).toMatchObject({ found: 1, recovered: 1, outage: false });
  const record = await world.record(id);
  expect(record).toMatchObject({ processState: 'Pending', lockedBy: null, failureCount: 2 });
  expect(world.nudges().map((nudge) => nudge.orderId)).toEqual([id]);
});

test('orders of a timer are left alone where an outage is known only when their records are (R20)', async () => {
  const world = roleScenario();
  const { orderId: id, revision } = await world.createClaimed('one');
  world.clock.jump(12 * second);
  let isForSweeps = false;
  const role = supervise({
    ...world,
    transitions: {
      apply(batch) {
        // The process is paused until its records are read.
        isForSweeps = true;
        return world.transitions.apply(batch);
      },
    },
  });
  expect(await role.recover([id], () => isForSweeps)).toMatchObject({ recovered: 0, unwritten: 0 });
  expect((await world.record(id)).revision).toBe(revision);
  expect(await role.recover([id], () => false)).toMatchObject({ recovered: 1 });
});

test('a sweep without due orders changes nothing', async () => {
  const world = roleScenario();
  await world.createClaimed('one');
  world.clock.jump(9 * second);
  const report = await supervise(world).sweep(since(null));
  expect(report).toMatchObject({ found: 0, recovered: 0 });
  expect(world.happened).toEqual([]);
});

test('any number of overlapping sweeps gives the result of one (R11)', async () => {
  const results: ProcessRecord[][] = [];
  for (const sweeps of [1, 7]) {
    const world = roleScenario();
    for (let at = 0; at < 30; at += 1) await world.createClaimed(`order-${at}`);
    world.clock.jump(12 * second);
    await Promise.all(
      Array.from({ length: sweeps }, () => supervise(world, world.another()).sweep(since(null))),
    );
    const ids = Array.from({ length: 30 }, (_, at) => orderId(`order-${at}`));
    results.push(await Promise.all(ids.map((id) => world.record(id))));
    expect(world.nudges()).toHaveLength(30);
  }
  const [once, often] = results.map((records) => records.map(({ writeId: _, ...rest }) => rest));
  expect(often).toEqual(once);
});

test('more overdue orders than one page are all found (R16)', async () => {
  const world = roleScenario();
  const count = limits.sweepPage * 2 + 50;
  await Promise.all(Array.from({ length: count }, (_, at) => world.createClaimed(`order-${at}`)));
  world.clock.jump(12 * second);
  expect(await supervise(world).sweep(since(null))).toMatchObject({
    found: count,
    recovered: count,
  });
});

test('after a gap that only an outage explains, nothing is counted (R20)', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.createClaimed('one');
  const before = world.clock.now();
  world.clock.jump(3 * 3_600 * second);
  const report = await supervise(world).sweep(since(before));
  expect(report).toMatchObject({ outage: true, recovered: 1 });
  const record = await world.record(id);
  expect(record).toMatchObject({ processState: 'Pending', failureCount: 0, direction: 'forward' });
  expect(record.steps.map(({ failures }) => failures)).toEqual([0, 0, 0]);
});

test('an unclaimed order is nudged again, and no failure is counted', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.create('one');
  for (const times of [1, 2, 3]) {
    world.clock.jump(limits.pickUpGraceMs + second);
    await supervise(world).sweep(since(null));
    expect(world.nudges()).toHaveLength(times);
  }
  const record = await world.record(id);
  expect(record).toMatchObject({ processState: 'Pending', failureCount: 0 });
  expect(record.history).toHaveLength(2);
});

test('a deadline that no correct clock wrote is repaired, and logged (R14)', async () => {
  const world = roleScenario();
  world.clock.jump(120 * 24 * 3_600 * second);
  const { orderId: id } = await world.createClaimed('one');
  world.clock.jump(-120 * 24 * 3_600 * second);
  await supervise(world).sweep(since(null));
  const record = await world.record(id);
  expect(record.processState).toBe('Pending');
  expect(record.steps.find(({ name }) => name === stepName('east'))?.progress.state).toBe(
    'NotStarted',
  );
  expect(world.log.lines).toContainEqual({ event: 'deadlines-repaired', fields: { orders: 1 } });
});

test('a failed write of one order is logged, and the others are recovered', async () => {
  const world = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (record.orderId === 'bad') throw new Error('cannot be written');
      return store.commit(record, replaced);
    },
  }));
  await world.createClaimed('bad');
  await world.createClaimed('good');
  world.clock.jump(12 * second);
  expect(await supervise(world).sweep(since(null))).toMatchObject({ found: 2, recovered: 1 });
  expect(world.log.lines).toContainEqual({
    event: 'recovery-failed',
    fields: { orderId: 'bad', error: 'Error' },
  });
});

test('an order that an outage delayed and whose write failed is interrupted by the next sweep (R20)', async () => {
  let failing = true;
  const world = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (failing && record.orderId === 'bad')
        throw new UnavailableError('store-unavailable', 'Throttled.');
      return store.commit(record, replaced);
    },
  }));
  for (const id of ['good', 'bad', 'fine']) await world.createClaimed(id);
  const before = world.clock.now();
  world.clock.jump(3_600 * second);
  const role = supervise(world);
  const memories = since(before);
  expect(await role.sweep(memories)).toMatchObject({ outage: true, recovered: 2, finished: false });
  failing = false;
  world.clock.jump(second);
  expect(await role.sweep(memories)).toMatchObject({ outage: true, finished: true });
  expect((await world.record(orderId('bad'))).failureCount).toBe(0);
});

test('a sweep with a failed write and without an outage counts as completed', async () => {
  const world = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (record.orderId === 'bad') throw new UnavailableError('store-unavailable', 'Throttled.');
      return store.commit(record, replaced);
    },
  }));
  for (const id of ['good', 'bad']) await world.createClaimed(id);
  world.clock.jump(12 * second);
  expect(await supervise(world).sweep(since(null))).toMatchObject({ recovered: 1, finished: true });
});
