/** The orders that a restart interrupts, in which sequence, and what sweeps and the log see meanwhile. */
import { expect, test } from 'vitest';
import { CorruptDataError, UnavailableError } from '#core/model/errors.ts';
import { type OrderId, orderId, schedulerId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import type { DueQuery, StateStore } from '#ports/state-store.ts';
import type { OperatorOutcome } from '#roles/operator.ts';
import { afterRestart, operatorAfterRestart } from '#roles/recovery/roles-after-restart.ts';
import { type Restart, restart } from '#roles/restart.ts';
import { scheduler } from '#roles/scheduler.ts';
import { settled } from '../support/virtual-clock.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
const restartIn = ({ store, transitions, clock, log }: RoleScenario, sliceMax?: number): Restart =>
  restart({ store, transitions, clock, log, ...(sliceMax !== undefined && { sliceMax }) });
const claimAll = async (world: RoleScenario, count: number) => {
  for (let at = 0; at < count; at += 1) await world.createClaimed(`order-${at}`);
};
const typesOf = async (world: RoleScenario, id: string) =>
  (await world.record(orderId(id))).history.map(({ type }) => type);
const everything = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 100, cursor: null };
const shown = async ({ sweptStore }: Restart) => (await sweptStore.due(everything)).items;

/** Writes of these orders fail with what `error` gives, until it gives null. */
const failing =
  (error: () => unknown, ...ids: readonly string[]) =>
  (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      const failure = ids.includes(record.orderId) ? error() : null;
      if (failure !== null) throw failure;
      return store.commit(record, replaced);
    },
  });

test('without live orders nothing is written, and the recovery is done at once', async () => {
  const world = roleScenario();
  let writes = 0;
  const transitions = {
    apply(batch: Parameters<typeof world.transitions.apply>[0]) {
      writes += 1;
      return world.transitions.apply(batch);
    },
  };
  const restarted = restartIn({ ...world, transitions });
  expect(await restarted.begin()).toEqual([]);
  expect(await restarted.done).toBe(0);
  expect(restarted.isDone()).toBe(true);
  expect(writes).toBe(0);
});

test('an index that is longer than one page is read to its end', async () => {
  const world = roleScenario();
  await claimAll(world, 5);
  const due = (query: DueQuery) => world.store.due({ ...query, limit: 2 });
  const restarted = restartIn({ ...world, store: { ...world.store, due } });
  expect(await restarted.begin()).toHaveLength(5);
  expect(await restarted.done).toBe(5);
});

test('an unreadable order is logged and left to the sweeps; the others are interrupted', async () => {
  const corrupt = new CorruptDataError('row-damaged', 'It was changed on the disk.');
  const world = roleScenario(failing(() => corrupt, 'order-1'));
  await claimAll(world, 3);
  world.clock.jump(12 * second);
  const restarted = restartIn(world);
  await restarted.begin();
  expect(await restarted.done).toBe(2);
  const fields = { orderId: 'order-1', error: 'It was changed on the disk.' };
  expect(world.log.lines).toEqual([{ event: 'recovery-failed', fields }]);
  expect(await shown(restarted)).toContain('order-1');
});

test('the message of an error that is none of Reeve is not logged: it may quote details', async () => {
  const world = roleScenario(failing(() => new RangeError('card 4711'), 'order-1'));
  await claimAll(world, 2);
  const restarted = restartIn(world);
  await restarted.begin();
  await restarted.done;
  const fields = { orderId: 'order-1', error: 'RangeError' };
  expect(world.log.lines).toEqual([{ event: 'recovery-failed', fields }]);
});

test('after a slice without a successful write, other work can run', async () => {
  const corrupt = new CorruptDataError('row-damaged', 'It was changed on the disk.');
  const ids = ['order-0', 'order-1', 'order-2'];
  const world = roleScenario(failing(() => corrupt, ...ids));
  await claimAll(world, ids.length);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  await settled();
  expect(world.log.lines).toHaveLength(2);
  await world.clock.advance(0);
  expect(world.log.lines).toHaveLength(3);
  expect(await restarted.done).toBe(0);
});

test('a recovery without a fault logs nothing', async () => {
  const world = roleScenario();
  await claimAll(world, 3);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  await restarted.done;
  expect(world.log.lines).toEqual([]);
});

test.each([
  [
    'the store',
    new UnavailableError('store-unavailable', 'The disk is full.'),
    'The disk is full.',
  ],
  ['the whole batch', 'a text', 'unknown'],
])(
  'a delayed recovery is logged with the number of remaining orders: %s fails',
  async (_, failure, error) => {
    const world = roleScenario();
    let slices = 0;
    const transitions: RoleScenario['transitions'] = {
      async apply(batch) {
        slices += 1;
        if (slices === 2) throw failure;
        return world.transitions.apply(batch);
      },
    };
    await claimAll(world, 3);
    const restarted = restartIn({ ...world, transitions }, 1);
    await restarted.begin();
    await settled();
    const fields = { orders: 2, error };
    expect(world.log.lines).toEqual([{ event: 'recovery-delayed', fields }]);
    await world.clock.advance(249);
    expect(slices).toBe(2);
    await world.clock.advance(1);
    expect(await restarted.done).toBe(3);
  },
);

test('failures after a stop are not logged', async () => {
  const gate = Promise.withResolvers<void>();
  const world = roleScenario();
  let slices = 0;
  const transitions: RoleScenario['transitions'] = {
    async apply(batch) {
      slices += 1;
      if (slices > 1) await gate.promise;
      return world.transitions.apply(batch);
    },
  };
  await claimAll(world, 3);
  const restarted = restartIn({ ...world, transitions }, 1);
  await restarted.begin();
  restarted.stop();
  gate.reject(new UnavailableError('store-unavailable', 'The store is closed.'));
  await settled();
  expect(world.log.lines).toEqual([]);
});

test('a restart that cannot write names the number of orders, and what to do', async () => {
  const world = roleScenario(
    failing(() => new UnavailableError('store-unavailable', 'Later.'), 'order-0'),
  );
  await claimAll(world, 1);
  await expect(restartIn(world).begin()).rejects.toMatchObject({
    code: 'sweep-unwritten',
    message: expect.stringMatching(/^1 of 1 orders .* start again\.$/),
  });
});

test('sweeps see an order from when it was written on', async () => {
  let isAway = true;
  const full = () =>
    isAway ? new UnavailableError('store-unavailable', 'The disk is full.') : null;
  const world = roleScenario(failing(full, 'order-3'));
  await claimAll(world, 5);
  const restarted = restartIn(world, 1);
  expect(await shown(restarted)).toHaveLength(5);
  const looks: (readonly OrderId[])[] = [];
  await restarted.begin();
  looks.push(await shown(restarted));
  await settled();
  // The fourth is met, and cannot be written; the fifth was not met yet.
  looks.push(await shown(restarted));
  for (let at = 0; at < 8; at += 1) {
    await world.clock.advance(250);
    looks.push(await shown(restarted));
  }
  const written = ['order-0', 'order-1', 'order-2', 'order-4'].map((id) => orderId(id));
  expect(looks.slice(0, 2)).toEqual([written.slice(0, 1), written.slice(0, 3)]);
  for (const look of looks.slice(2)) expect(look.toSorted()).toEqual(written);
  isAway = false;
  await world.clock.advance(second);
  expect(restarted.isDone()).toBe(true);
  expect(await shown(restarted)).toHaveLength(5);
  // Slices after the first pass had only what was left.
  expect(await typesOf(world, 'order-0')).toEqual(['submit', 'claim', 'interrupted']);
});

test('while orders are hidden, sweeps read no due entry from before the start', async () => {
  const world = roleScenario(
    failing(() => new UnavailableError('store-unavailable', 'y'), 'order-1'),
  );
  await claimAll(world, 2);
  const start = world.clock.now();
  const froms: number[] = [];
  const due = (query: DueQuery) => {
    froms.push(query.from);
    return world.store.due(query);
  };
  const restarted = restartIn({ ...world, store: { ...world.store, due } });
  await expect(restarted.begin()).rejects.toThrow();
  froms.length = 0;
  await shown(restarted);
  await restarted.sweptStore.due({ ...everything, from: start + second });
  expect(froms).toEqual([start, start + second]);
});

test('a change of a new order does not wait for the recovery', async () => {
  const gate = Promise.withResolvers<void>();
  const world = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (record.orderId === 'order-1') await gate.promise;
      return store.commit(record, replaced);
    },
  }));
  await claimAll(world, 4);
  const restarted = restartIn(world, 1);
  await restarted.begin();
  const fresh = await world.createClaimed('fresh');
  await restarted.interruptNow([fresh.orderId, orderId('order-0')]);
  const mixed = restarted.interruptNow([orderId('order-3'), fresh.orderId, orderId('order-3')]);
  gate.resolve();
  await mixed;
  expect(await typesOf(world, 'order-3')).toEqual(['submit', 'claim', 'interrupted']);
  expect(await world.record(fresh.orderId)).toEqual(fresh);
  await restarted.done;
  expect(await typesOf(world, 'order-3')).toEqual(['submit', 'claim', 'interrupted']);
});

/** A restart that notes which orders it is asked to interrupt. */
const noted = (asked: string[]): Restart => ({
  begin: async () => [],
  done: Promise.resolve(0),
  isDone: () => false,
  isSettled: () => false,
  uninterrupted: new Set(),
  sweptStore: roleScenario().store,
  async interruptNow(ids) {
    asked.push(`interrupt ${ids}`);
    return [];
  },
  stop() {},
});

test('an operator’s request changes the order only after the restart has interrupted it', async () => {
  const asked: string[] = [];
  const note =
    (name: string) =>
    async (...request: unknown[]): Promise<OperatorOutcome> => {
      asked.push(`${name} ${JSON.stringify(request)}`);
      return { kind: 'unknown-order' };
    };
  const person = operatorAfterRestart(noted(asked), {
    resubmit: note('resubmit'),
    cancel: note('cancel'),
    reprioritise: note('reprioritise'),
  });
  const [one, two] = [orderId('one'), orderId('two')];
  await person.resubmit(one, 'olga', { ifRevision: 3 });
  await person.cancel(two, 'olga', { tenant: 'inn' });
  await person.reprioritise(one, 'olga', 'high', {});
  expect(asked).toEqual([
    'interrupt one',
    'resubmit ["one","olga",{"ifRevision":3}]',
    'interrupt two',
    'cancel ["two","olga",{"tenant":"inn"}]',
    'interrupt one',
    'reprioritise ["one","olga","high",{}]',
  ]);
});

test('nudges wait until the restart has interrupted their orders', async () => {
  const asked: string[] = [];
  const world = roleScenario();
  const of = scheduler({ id: schedulerId('s'), ...world });
  const nudges = ['one', 'two'].map((id): Nudge => ({ orderId: orderId(id), priority: 'normal' }));
  const deliveries = await afterRestart(noted(asked), of).onNudges(nudges);
  expect(asked).toEqual(['interrupt one,two']);
  expect(deliveries).toHaveLength(2);
});
