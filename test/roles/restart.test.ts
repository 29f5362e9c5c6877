import { describe, expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { type OrderId, orderId, schedulerId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { StateStore } from '#ports/state-store.ts';
import { operator } from '#roles/operator.ts';
import { afterRestart, operatorAfterRestart } from '#roles/recovery/roles-after-restart.ts';
import { type Restart, restart } from '#roles/restart.ts';
import { scheduler } from '#roles/scheduler.ts';
import { supervisor } from '#roles/supervisor.ts';
import { settled } from '../support/virtual-clock.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
const restartIn = (
  { store, transitions, clock, log }: RoleScenario,
  sliceMax?: number,
  rampPerSecond?: number,
): Restart =>
  restart({
    ...{ store, transitions, clock, log },
    ...(sliceMax !== undefined && { sliceMax }),
    ...(rampPerSecond !== undefined && { rampPerSecond }),
  });
const sweeperOf = ({ transitions, clock, log }: RoleScenario, { sweptStore }: Restart) =>
  supervisor({ store: sweptStore, transitions, clock, log, outageAfterMs: 30_000 });
const named = (count: number) => Array.from({ length: count }, (_, at) => `order-${at}`);
const claimAll = (world: RoleScenario, count: number) =>
  Promise.all(named(count).map((id) => world.createClaimed(id)));
const last = async (world: RoleScenario, id: OrderId) =>
  (await world.record(id)).history.at(-1)?.type;

/** A store whose writes of these orders wait until they are released. */
function held(ids: readonly string[]) {
  const gate = Promise.withResolvers<void>();
  const through = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      if (ids.includes(record.orderId)) await gate.promise;
      return store.commit(record, replaced);
    },
  });
  return { through, letGo: gate.resolve };
}

test('after a restart every live order is interrupted without a failure counted, in a ramp', async () => {
  const world = roleScenario();
  const count = limits.recoveryRampPerSecond + 10;
  await claimAll(world, count);
  const restarted = restartIn(world);
  expect(await restarted.begin()).toHaveLength(count);
  await settled();
  expect(world.nudges()).toHaveLength(limits.recoveryRampPerSecond);
  await world.clock.advance(second);
  expect(await restarted.done).toBe(count);
  const records = [...(await world.store.records(named(count).map(orderId))).values()];
  expect(new Set(records.map(({ failureCount }) => failureCount))).toEqual(new Set([0]));
  // Each is dispatched as soon as it is interrupted.
  expect(world.nudges().filter(({ at }) => at !== undefined)).toEqual([]);
});

describe('the ramp, of two orders per second', () => {
  const begun = async (world: RoleScenario, sliceMax?: number) => {
    const restarted = restartIn(world, sliceMax, 2);
    await restarted.begin();
    await settled();
    return restarted;
  };
  const interrupted = async (world: RoleScenario, count: number) => {
    const types = await Promise.all(named(count).map((id) => last(world, orderId(id))));
    return named(count).filter((_, at) => types[at] === 'interrupted');
  };

  test.each([1, 2, 100])('interrupts an order when its second comes, %s at once', async (size) => {
    const world = roleScenario();
    await claimAll(world, 5);
    const restarted = await begun(world, size);
    expect(await interrupted(world, 5)).toEqual(['order-0', 'order-1']);
    await world.clock.advance(second - 1);
    expect(await interrupted(world, 5)).toHaveLength(2);
    await world.clock.advance(1);
    expect(await interrupted(world, 5)).toHaveLength(4);
    await world.clock.advance(second);
    expect(await restarted.done).toBe(5);
  });

  test('the next second begins on time, however long the writes of the last one took', async () => {
    const world = roleScenario();
    await claimAll(world, 7);
    const restarted = restartIn(world, undefined, 2);
    world.clock.jump(0.6 * second);
    await restarted.begin();
    await world.clock.advance(0.4 * second);
    expect(await interrupted(world, 7)).toHaveLength(4);
    // Suspended for an hour, it does not make up for that.
    world.clock.jump(3_600 * second);
    await world.clock.advance(0.9 * second);
    expect(await interrupted(world, 7)).toHaveLength(6);
    await world.clock.advance(0.1 * second);
    expect(await interrupted(world, 7)).toHaveLength(7);
  });

  test('a second that begins late delays none of the later ones', async () => {
    const world = roleScenario();
    await claimAll(world, 8);
    const restarted = restartIn(world, undefined, 2);
    await restarted.begin();
    // Busy when its timer is due: the second begins 0.3 s late, the one after it on time.
    world.clock.jump(1.3 * second);
    await world.clock.advance(0);
    expect(await interrupted(world, 8)).toHaveLength(4);
    await world.clock.advance(0.7 * second);
    expect(await interrupted(world, 8)).toHaveLength(6);
    await world.clock.advance(second);
    expect(await interrupted(world, 8)).toHaveLength(8);
  });

  test('an order that a role changes before its turn has the next place', async () => {
    const world = roleScenario();
    await claimAll(world, 7);
    const startedAt = world.clock.now();
    const restarted = await begun(world);
    await restarted.interruptNow(['order-6', 'order-5', 'order-4'].map((id) => orderId(id)));
    const notBefore = async (id: string) => (await world.record(orderId(id))).notBefore - startedAt;
    expect(await notBefore('order-6')).toBe(second);
    expect(await notBefore('order-5')).toBe(second);
    expect(await notBefore('order-4')).toBe(2 * second);
    await world.clock.advance(second);
    expect(await interrupted(world, 4)).toEqual(['order-0', 'order-1']);
    await world.clock.advance(second);
    expect(await interrupted(world, 4)).toEqual(['order-0', 'order-1', 'order-2']);
    await world.clock.advance(second);
    expect(await restarted.done).toBe(7);
  });

  test('an order that sleeps has no place', async () => {
    const world = roleScenario();
    await claimAll(world, 4);
    const notBefore = world.clock.now() + 3_600 * second;
    const event = () => ({ type: 'interrupted', reason: 'restart', notBefore }) as const;
    await world.transitions.apply(named(4).map((id) => ({ orderId: orderId(id), event })));
    await world.createClaimed('last');
    const restarted = await begun(world);
    for (let slice = 0; slice < 3; slice += 1) await world.clock.advance(0);
    expect(restarted.isDone()).toBe(true);
    expect(await restarted.done).toBe(1);
  });

  test('a clock that is set back does not delay it', async () => {
    const world = roleScenario();
    await claimAll(world, 5);
    const restarted = restartIn(world, undefined, 2);
    world.clock.jump(-3_600 * second);
    await restarted.begin();
    await world.clock.advance(2 * second);
    expect(await interrupted(world, 5)).toHaveLength(5);
  });

  test('ends with a stop', async () => {
    const world = roleScenario();
    await claimAll(world, 5);
    const restarted = await begun(world);
    restarted.stop();
    expect(world.clock.pending()).toBe(0);
    await world.clock.advance(10 * second);
    expect(await interrupted(world, 5)).toHaveLength(2);
  });

  test('sweeps do not see an order before its turn, and count no failure (R20)', async () => {
    const world = roleScenario();
    await claimAll(world, 3);
    const restarted = await begun(world);
    world.clock.jump(60 * second);
    await sweeperOf(world, restarted).sweep(new Map());
    expect(await last(world, orderId('order-2'))).toBe('claim');
    await world.clock.advance(second);
    expect((await world.record(orderId('order-2'))).failureCount).toBe(0);
  });
});

test('orders are interrupted in due order, and the first ones before the start resolves', async () => {
  const world = roleScenario();
  for (const id of ['c', 'a', 'b']) {
    await world.createClaimed(id);
    world.clock.jump(2 * second);
  }
  const restarted = restartIn(world, 1);
  await restarted.begin();
  expect(await last(world, orderId('c'))).toBe('interrupted');
  await restarted.done;
  expect(world.nudges().map((nudge) => nudge.orderId)).toEqual(['c', 'a', 'b']);
});

test('slices grow while they are fast, and shrink while they are slow', async () => {
  const sizes: number[] = [];
  let msEach = 0;
  const world = roleScenario();
  await claimAll(world, 361);
  const transitions = {
    ...world.transitions,
    apply(changes: Parameters<typeof world.transitions.apply>[0]) {
      sizes.push(changes.length);
      if (sizes.length === 5) msEach = 1;
      world.clock.jump(msEach * changes.length);
      return world.transitions.apply(changes);
    },
  };
  const restarted = restartIn({ ...world, transitions });
  await restarted.begin();
  expect(await restarted.done).toBe(361);
  expect(sizes).toEqual([10, 20, 40, 80, 100, 50, 25, 12, 24]);
});

test.each([
  ['that takes as long as it may', 15, 20],
  ['that takes longer', 16, 5],
])('the size of the next slice, after one %s', async (_, firstMs, next) => {
  const sizes: number[] = [];
  const world = roleScenario();
  await claimAll(world, 40);
  const transitions: RoleScenario['transitions'] = {
    apply(changes) {
      if (sizes.length === 0) world.clock.jump(firstMs);
      sizes.push(changes.length);
      return world.transitions.apply(changes);
    },
  };
  const restarted = restartIn({ ...world, transitions });
  await restarted.begin();
  await restarted.done;
  expect(sizes.slice(0, 2)).toEqual([10, next]);
});

test('a restart that cannot write rejects', async () => {
  let away = true;
  const world = roleScenario((store) => ({
    ...store,
    commit: (record, replaced) =>
      away && record.history.at(-1)?.type === 'interrupted'
        ? Promise.reject(new UnavailableError('aws-unavailable', 'The store is away.'))
        : store.commit(record, replaced),
  }));
  await claimAll(world, 3);
  await expect(restartIn(world).begin()).rejects.toThrow(/3 of 3/);
  away = false;
  const restarted = restartIn(world);
  await restarted.begin();
  expect(await restarted.done).toBe(3);
});

test('a failed write is retried until it succeeds, and no sweep counts a failure meanwhile (R20)', async () => {
  let away = true;
  const world = roleScenario((store) => ({
    ...store,
    commit: (record, replaced) =>
      away && record.orderId === 'order-2'
        ? Promise.reject(new UnavailableError('store-unavailable', 'The disk is full.'))
        : store.commit(record, replaced),
  }));
  await claimAll(world, 4);
  const restarted = restartIn(world, 2);
  await restarted.begin();
  const sweeper = sweeperOf(world, restarted);
  for (let at = 0; at < 30; at += 1) {
    await world.clock.advance(second);
    await sweeper.sweep(new Map());
  }
  const left = await world.record(orderId('order-2'));
  expect(left).toMatchObject({ processState: 'Processing', failureCount: 0 });
  expect(restarted.isDone()).toBe(false);
  away = false;
  await world.clock.advance(second);
  expect(restarted.isDone()).toBe(true);
  const record = await world.record(orderId('order-2'));
  expect(record).toMatchObject({ processState: 'Pending', failureCount: 0 });
});

test('an order that is submitted and claimed during the recovery is not interrupted', async () => {
  const gate = held(['order-1']);
  const world = roleScenario(gate.through);
  await claimAll(world, 3);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  const fresh = await world.createClaimed('fresh');
  gate.letGo();
  await restarted.done;
  expect(await world.record(fresh.orderId)).toEqual(fresh);
});

test('an order that an operator or a nudge is about to change is interrupted first, and once', async () => {
  const gate = held(['order-1']);
  const world = roleScenario(gate.through);
  await claimAll(world, 5);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  const id = orderId('order-4');
  const cancelled = operatorAfterRestart(restarted, operator(world.transitions)).cancel(id, 'ada');
  const claims = afterRestart(restarted, scheduler({ id: schedulerId('new'), ...world })).onNudges([
    { orderId: orderId('order-3'), priority: 'normal' },
  ]);
  await settled();
  expect(await last(world, id)).toBe('claim');
  gate.letGo();
  expect(await cancelled).toMatchObject({ kind: 'done' });
  await claims;
  await restarted.done;
  const types = async (of: string) =>
    (await world.record(orderId(of))).history.map(({ type }) => type);
  expect(await types('order-4')).toEqual(['submit', 'claim', 'interrupted', 'cancel']);
  expect(await types('order-3')).toEqual(['submit', 'claim', 'interrupted', 'claim']);
  expect((await world.record(orderId('order-3'))).failureCount).toBe(0);
});

describe('a request for the revision of an order that is not interrupted yet', () => {
  async function begun(world = roleScenario()) {
    await claimAll(world, 3);
    const restarted = restartIn(world, undefined, 1);
    await restarted.begin();
    const id = orderId('order-2');
    const { revision } = await world.record(id);
    return {
      ...{ world, id, revision },
      operators: operatorAfterRestart(restarted, operator(world.transitions)),
    };
  }

  test('is done', async () => {
    const { operators, id, revision } = await begun();
    const options = { ifRevision: revision };
    expect(await operators.reprioritise(id, 'ada', 'high', options)).toMatchObject({
      kind: 'done',
      record: { revision: revision + 2 },
    });
    const cancelled = await operators.cancel(orderId('order-1'), 'ada', options);
    expect(cancelled).toMatchObject({ kind: 'done', record: { revision: revision + 2 } });
    const resubmitted = await operators.resubmit(orderId('order-0'), 'ada', options);
    expect(resubmitted).toMatchObject({ kind: 'refused', reason: 'changed' });
  });

  test.each([
    ['an earlier one', -1],
    ['a later one', 2],
  ])('is refused for %s', async (_, apart) => {
    const { operators, id, revision } = await begun();
    const options = { ifRevision: revision + apart };
    const cancelled = await operators.cancel(id, 'ada', options);
    expect(cancelled).toMatchObject({ kind: 'refused', reason: 'changed' });
  });

  test('fails as the store did where the interruption cannot be written, and is done later', async () => {
    const full = new UnavailableError('store-full', 'The disk has no space for the database.');
    let isFull = false;
    const world = roleScenario((store) => ({
      ...store,
      commit: (record, replaced) =>
        isFull && record.history.at(-1)?.type === 'interrupted'
          ? Promise.reject(full)
          : store.commit(record, replaced),
    }));
    const { operators, id } = await begun(world);
    // Only for the interruption: without it, the order must not be changed.
    isFull = true;
    await expect(operators.cancel(id, 'ada')).rejects.toBe(full);
    isFull = false;
    expect(await operators.cancel(id, 'ada')).toMatchObject({ kind: 'done' });
    expect(await last(world, id)).toBe('cancel');
  });

  test('is refused once something has changed the order after that', async () => {
    const { operators, world, id, revision } = await begun();
    const options = { ifRevision: revision };
    await operators.reprioritise(id, 'ada', 'high');
    const cancelled = await operators.cancel(id, 'ada', options);
    expect(cancelled).toMatchObject({ kind: 'refused', reason: 'changed' });
    expect(await last(world, id)).toBe('reprioritise');
  });
});

test('during the recovery, sweeps recover orders that were submitted since', async () => {
  const gate = held(['order-1']);
  const world = roleScenario(gate.through);
  await claimAll(world, 3);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  await world.createClaimed('fresh');
  world.clock.jump(12 * second);
  const { found } = await sweeperOf(world, restarted).sweep(new Map());
  // With the one that was interrupted, and is not claimed yet.
  expect(found).toBe(2);
  expect(await last(world, orderId('fresh'))).toBe('expired');
  expect(await last(world, orderId('order-1'))).toBe('claim');
  gate.letGo();
  await restarted.done;
  expect((await world.record(orderId('order-1'))).failureCount).toBe(0);
});

test('no order stays hidden from sweeps when a nudge interrupts the last one (R16)', async () => {
  const slow = held(['order-1']);
  const world = roleScenario(slow.through);
  await claimAll(world, 4);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  const nudged = afterRestart(restarted, scheduler({ ...world, id: schedulerId('next') }));
  const claims = nudged.onNudges([{ orderId: orderId('order-3'), priority: 'normal' }]);
  slow.letGo();
  await claims;
  await restarted.done;
  world.clock.jump(60 * second);
  const due = { shard: 0, from: 0, to: world.clock.now(), limit: 10, cursor: null };
  const { items } = await restarted.sweptStore.due(due);
  expect(items.toSorted()).toEqual(named(4).map(orderId));
});

test('a recovery that is stopped changes nothing more', async () => {
  const world = roleScenario();
  await claimAll(world, 3);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  restarted.stop();
  await world.clock.advance(10 * second);
  expect(await last(world, orderId('order-2'))).toBe('claim');
  expect(restarted.isDone()).toBe(false);
});
