import { describe, expect, test } from 'vitest';
import { UnavailableError } from '#core/errors.ts';
import { orderId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { type SweepTickPorts, sweepTick } from '#roles/sweep-tick.ts';
import { coordinationContract } from '../contracts/coordination.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

coordinationContract('the memory of these tests', async () => memoryCoordination());

const second = 1_000;
const yes = () => true;
const never = () => false;
const nothing = { found: 0, recovered: 0, handedOver: 0, outage: false };
const away = () => Promise.reject(new UnavailableError('aws-unavailable', 'The store is away.'));

interface Swept extends RoleScenario {
  readonly coordination: Coordination;
  readonly handedOver: number[];
  /** Who took which shard, refused or not. */
  readonly takes: string[];
  /** A sweep of its own, by its holder's name. */
  sweep(holder: string, over?: Partial<SweepTickPorts>): ReturnType<typeof sweepTick>;
  createDue(count: number): Promise<void>;
  failures(): Promise<Set<number>>;
  unfinished(): Promise<[number, number | null][]>;
}

function scenario(
  memory: Coordination = memoryCoordination(),
  faulty?: (store: StateStore) => StateStore,
): Swept {
  const world = roleScenario(faulty);
  const handedOver: number[] = [];
  const takes: string[] = [];
  const coordination: Coordination = {
    ...memory,
    take(shard, lease) {
      takes.push(`${lease.holder} ${shard}`);
      return memory.take(shard, lease);
    },
  };
  let ids: string[] = [];
  return {
    ...world,
    coordination,
    handedOver,
    takes,
    sweep(holder, over = {}) {
      const { clock, log } = world;
      const store = { ...world.store, ...over.store };
      const transitions = world.another();
      return sweepTick({
        supervisor: supervisor({ store, transitions, clock, log, outageAfterMs: 180 * second }),
        store,
        coordination,
        clock,
        holder,
        leaseMs: 60 * second,
        handOver: async (shard) => {
          handedOver.push(shard);
        },
        ...over,
      });
    },
    /** Both walls of each are Running, and past complete-by. */
    async createDue(count) {
      ids = Array.from({ length: count }, (_, at) => `order-${at}`);
      await Promise.all(ids.map((id) => world.createClaimed(id)));
      world.clock.jump(12 * second);
    },
    async failures() {
      const records = await world.store.records(ids.map((id) => orderId(id)));
      return new Set([...records.values()].map(({ failureCount }) => failureCount));
    },
    async unfinished() {
      const recalled = await coordination.recall(world.store.dueShards);
      return [...recalled.unfinished].map(([shard, { previousSweepAt }]) => [
        shard,
        previousSweepAt,
      ]);
    },
  };
}

const sweptAt = async (world: Swept) => (await world.coordination.recall(1)).sweptAt;
/** Each order of the scenario has two steps that ran out of time. */
const counted = new Set([2]);
const forgiven = new Set([0]);

describe('a tick', () => {
  test('takes no lease where nothing is due, and is remembered', async () => {
    const world = scenario();
    await world.createClaimed('one');
    expect(await world.sweep('a').tick(yes)).toEqual(nothing);
    expect(world.takes).toEqual([]);
    expect(await sweptAt(world)).toBe(world.clock.now());
  });

  test('recovers what is due under a lease, and gives it back', async () => {
    const world = scenario();
    await world.createDue(3);
    expect(await world.sweep('a').tick(yes)).toEqual({ ...nothing, found: 3, recovered: 3 });
    expect(world.takes).toEqual(['a 0']);
    expect(await world.failures()).toEqual(counted);
    expect(await world.unfinished()).toEqual([]);
    expect(world.handedOver).toEqual([]);
  });

  test('leaves a shard alone that another one holds, until that lease ends', async () => {
    const world = scenario();
    await world.createDue(3);
    const { clock, coordination } = world;
    const lease = { now: clock.now(), leaseMs: 60 * second, previousSweepAt: null };
    await coordination.take(0, { ...lease, holder: 'died' });
    expect(await world.sweep('a').tick(yes)).toEqual(nothing);
    expect(await world.failures()).toEqual(forgiven);
    clock.jump(61 * second);
    expect(await world.sweep('b').tick(yes)).toMatchObject({ recovered: 3 });
    expect(await world.unfinished()).toEqual([]);
  });

  test('forgets what was unfinished when nothing is due there any more', async () => {
    const world = scenario();
    const lease = { now: world.clock.now(), leaseMs: 60 * second, previousSweepAt: 5 };
    await world.coordination.take(0, { ...lease, holder: 'before' });
    await world.coordination.giveBack(0, 'before', false);
    await world.sweep('a').tick(yes);
    // Else an order that is late much later would be forgiven for an outage long past.
    expect(await world.unfinished()).toEqual([]);
  });

  test('looks for what lies too far ahead once an hour (R14)', async () => {
    const world = scenario();
    let farLooks = 0;
    const store: StateStore = {
      ...world.store,
      async due(query) {
        if (query.from > world.clock.now()) farLooks += 1;
        return world.store.due(query);
      },
    };
    const looks: number[] = [];
    for (let minute = 0; minute < 121; minute += 1) {
      await world.sweep(`sweep-${minute}`, { store }).tick(yes);
      world.clock.jump(60 * second);
      looks.push(farLooks);
    }
    expect([looks[0], looks[59], looks[60], looks[119], looks[120]]).toEqual([1, 1, 2, 2, 3]);
  });
});

describe('ticks at once do what one does (R11)', () => {
  const lawless = { ...memoryCoordination(), take: async () => true };
  const results = async (ticks: number, coordination: Coordination) => {
    const world = scenario(coordination);
    await world.createDue(30);
    await Promise.all(Array.from({ length: ticks }, (_, at) => world.sweep(`s${at}`).tick(yes)));
    expect(world.nudges()).toHaveLength(30);
    const ids = Array.from({ length: 30 }, (_, at) => orderId(`order-${at}`));
    const records = await Promise.all(ids.map((id) => world.record(id)));
    return records.map(({ writeId: _, ...rest }) => rest);
  };

  test.each([
    ['under leases', memoryCoordination()],
    ['though the leases let everybody in', lawless],
  ])('%s', async (_, coordination) => {
    const once = await results(1, memoryCoordination());
    expect(new Set(once.map(({ failureCount }) => failureCount))).toEqual(counted);
    expect(await results(2, coordination)).toEqual(once);
  });
});

describe('a shard with more than a page due', () => {
  const many = limits.sweepPage + 50;

  test('is handed over, unfinished since the sweep before, and finished by its own sweep', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick(yes);
    const before = clock.now();
    await world.createDue(many);
    expect(await world.sweep('b').tick(yes)).toEqual({ ...nothing, handedOver: 1 });
    expect(world.handedOver).toEqual([0]);
    expect(await world.unfinished()).toEqual([[0, before]]);
    expect(await world.failures()).toEqual(forgiven);

    const report = { found: many, recovered: many, handedOver: 0, outage: false };
    expect(await world.sweep('c').shard(0, yes)).toEqual(report);
    expect(await world.failures()).toEqual(counted);
    expect(await world.unfinished()).toEqual([]);
  });

  test('is swept once, though it was handed over twice', async () => {
    const world = scenario();
    await world.createDue(many);
    await Promise.all([world.sweep('a').tick(yes), world.sweep('b').tick(yes)]);
    const reports = await Promise.all(['c', 'd'].map((one) => world.sweep(one).shard(0, yes)));
    expect(reports.map(({ recovered }) => recovered).toSorted((a, b) => a - b)).toEqual([0, many]);
    expect(await world.failures()).toEqual(counted);
    expect(await world.sweep('e').shard(0, yes)).toEqual(nothing);
  });

  test('is not handed over while another sweep holds it', async () => {
    const world = scenario();
    await world.createDue(many);
    const lease = { now: world.clock.now(), leaseMs: 60 * second, previousSweepAt: null };
    await world.coordination.take(0, { ...lease, holder: 'other' });
    expect(await world.sweep('a').tick(yes)).toEqual(nothing);
    expect(world.handedOver).toEqual([]);
  });

  test('that could not be handed over fails the tick, and the next one hands it over', async () => {
    const world = scenario();
    await world.createDue(many);
    await expect(world.sweep('a', { handOver: away }).tick(yes)).rejects.toThrow('away');
    expect(await sweptAt(world)).toBeNull();
    expect(await world.sweep('b').tick(yes)).toMatchObject({ handedOver: 1 });
    expect(world.handedOver).toEqual([0]);
  });
});

describe('a sweep that runs out of time', () => {
  test('leaves the shard unfinished; later ticks go on, and forgive the outage (R20)', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick(yes);
    const before = clock.now();
    await world.createDue(3);
    clock.jump(3_600 * second);
    for (const holder of ['b', 'c']) {
      expect(await world.sweep(holder).tick(never)).toMatchObject({ recovered: 0, outage: true });
      expect(await world.unfinished()).toEqual([[0, before]]);
      clock.jump(second);
    }
    expect(await sweptAt(world)).toBe(clock.now() - second);
    expect(await world.sweep('d').tick(yes)).toMatchObject({ recovered: 3, outage: true });
    expect(await world.failures()).toEqual(forgiven);
    expect(await world.unfinished()).toEqual([]);
  });

  test('before any sweep was complete leaves a shard that an outage is forgiven, too (R20)', async () => {
    const world = scenario();
    await world.createDue(3);
    await world.sweep('a').tick(never);
    expect(await world.unfinished()).toEqual([[0, null]]);
    world.clock.jump(3_600 * second);
    expect(await world.sweep('b').tick(yes)).toMatchObject({ recovered: 3, outage: true });
    expect(await world.failures()).toEqual(forgiven);
  });

  test('between two pages goes on with the second one, which is forgiven too (R20)', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick(yes);
    await world.createDue(limits.sweepPage + 50);
    clock.jump(3_600 * second);
    await world.sweep('b').tick(yes);
    let pages = 0;
    const onePage = () => {
      pages += 1;
      return pages === 1;
    };
    const first = await world.sweep('c').shard(0, onePage);
    expect(first).toMatchObject({ recovered: limits.sweepPage, outage: true });
    clock.jump(second);
    expect(await world.sweep('d').tick(yes)).toMatchObject({ recovered: 50, outage: true });
    expect(await world.failures()).toEqual(forgiven);
  });
});

describe('a tick whose store fails', () => {
  test.each<[string, (store: StateStore) => StateStore]>([
    ['reads', (store) => ({ ...store, due: away })],
    ['writes', (store) => ({ ...store, commit: away })],
  ])('to answer %s is not remembered, and the next one forgives (R20)', async (_, broken) => {
    let down = false;
    const world = scenario(memoryCoordination(), (store) => ({
      ...store,
      commit: (record) => (down ? broken(store) : store).commit(record),
    }));
    await world.sweep('a').tick(yes);
    const before = world.clock.now();
    await world.createDue(3);
    down = true;
    await expect(world.sweep('b', { store: broken(world.store) }).tick(yes)).rejects.toThrow();
    expect(await sweptAt(world)).toBe(before);
    down = false;
    world.clock.jump(180 * second);
    expect(await world.sweep('c').tick(yes)).toMatchObject({ recovered: 3, outage: true });
    expect(await world.failures()).toEqual(forgiven);
  });

  test('for one shard has finished the others when it fails', async () => {
    const world = scenario();
    await world.coordination.remember(world.clock.now(), 2);
    await world.createDue(3);
    const due: StateStore['due'] = (query) => (query.shard === 1 ? away() : world.store.due(query));
    const store = { ...world.store, due };
    await expect(world.sweep('a', { store }).tick(yes)).rejects.toThrow('away');
    // Nothing of it may still run: a function is frozen when its handler has ended.
    expect(await world.failures()).toEqual(counted);
    expect(await world.unfinished()).toEqual([]);
  });
});
