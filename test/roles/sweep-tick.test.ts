import { describe, expect, test } from 'vitest';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { TickReport } from '#roles/sweep-tick.ts';
import { coordinationContract } from '../contracts/coordination.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { settled } from '../support/virtual-clock.ts';
import { type Swept, scenario } from './sweep-scenario.ts';

coordinationContract('the memory of these tests', async () => memoryCoordination());

const second = 1_000;
const yes = () => true;
const nothing = { found: 0, recovered: 0, interrupted: 0, handedOver: 0, lagMs: 0 };
const away = () => Promise.reject(new UnavailableError('aws-unavailable', 'The store is away.'));

/** The mark of a tick of one shard, before any tick swept every shard itself. */
const unreached = (nowMs: number) => ({
  ...{ sweptAt: nowMs, nowMs },
  ...{ reachedAt: null, shardCounts: [1], complete: true },
});
const sweptAt = async (world: Swept) => (await world.coordination.recall(1)).sweptAt;
/** Each order of the scenario has two steps that ran out of time. */
const counted = new Set([2]);
const interrupted = new Set([0]);

describe('a tick', () => {
  test('takes no lease where nothing is due, and is remembered', async () => {
    const world = scenario();
    await world.createClaimed('one');
    expect(await world.sweep('a').tick()).toEqual(nothing);
    expect(world.takes).toEqual([]);
    expect(await sweptAt(world)).toBe(world.clock.now());
  });

  test('recovers what is due under a lease, releases it, and reports how late it was', async () => {
    const world = scenario();
    await world.createDue(3);
    const report = { ...nothing, found: 3, recovered: 3, lagMs: 2 * second - 1 };
    expect(await world.sweep('a').tick()).toEqual(report);
    expect(world.takes).toEqual(['a 0']);
    expect(await world.failures()).toEqual(counted);
    expect(await world.unfinished()).toEqual([]);
    expect(world.handedOver).toEqual([]);
  });

  test('does not sweep a shard that another one holds, until that lease ends', async () => {
    const world = scenario();
    await world.createDue(3);
    const { clock, coordination } = world;
    const lease = { nowMs: clock.now(), leaseMs: 60 * second, holder: 'died' };
    await coordination.acquire(0, lease, noMemory);
    expect(await world.sweep('a').tick()).toEqual(nothing);
    expect(await world.failures()).toEqual(interrupted);
    clock.jump(61 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 0 });
    expect(await world.unfinished()).toEqual([]);
  });

  test('forgets what was unfinished when nothing is due there any more', async () => {
    const world = scenario();
    const lease = { nowMs: world.clock.now(), leaseMs: 60 * second, holder: 'before' };
    await world.coordination.acquire(0, lease, noMemory);
    await world.coordination.release(0, 'before', noMemory);
    await world.sweep('a').tick();
    expect(await world.unfinished()).toEqual([]);
  });

  test('looks for due times that are too far ahead once an hour (R14)', async () => {
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
      await world.sweep(`sweep-${minute}`, { store }).tick();
      world.clock.jump(60 * second);
      looks.push(farLooks);
    }
    expect([looks[0], looks[59], looks[60], looks[119], looks[120]]).toEqual([1, 1, 2, 2, 3]);
  });
});

describe('concurrent ticks have the effect of one (R11)', () => {
  const lawless: Coordination = { ...memoryCoordination(), acquire: async (_, __, first) => first };
  const results = async (ticks: number, coordination: Coordination) => {
    const world = scenario(coordination);
    await world.createDue(30);
    await Promise.all(Array.from({ length: ticks }, (_, at) => world.sweep(`s${at}`).tick()));
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

  test('is recovered by one page at once, and the rest by a separate sweep', async () => {
    const world = scenario();
    await world.sweep('a').tick();
    await world.createDue(many);
    const first = { found: limits.sweepPage, recovered: limits.sweepPage, handedOver: 1 };
    expect(await world.sweep('b').tick()).toMatchObject(first);
    expect(world.handedOver).toEqual([0]);
    expect(await world.unfinished()).toEqual([[0, { ...noMemory, aliveAt: world.clock.now() }]]);

    expect(await world.sweep('c').shard(0, yes)).toMatchObject({ found: 50, recovered: 50 });
    expect(await world.failures()).toEqual(counted);
    expect(await world.unfinished()).toEqual([]);
  });

  test('is swept once, though it was handed over twice', async () => {
    const world = scenario();
    await world.createDue(many);
    await world.sweep('a').tick();
    const reports = await Promise.all(['c', 'd'].map((one) => world.sweep(one).shard(0, yes)));
    expect(reports.map(({ recovered }) => recovered).toSorted((a, b) => a - b)).toEqual([0, 50]);
    expect(await world.failures()).toEqual(counted);
    expect(await world.sweep('e').shard(0, yes)).toEqual(nothing);
  });

  test('is not handed over while another sweep holds it', async () => {
    const world = scenario();
    await world.createDue(many);
    const lease = { nowMs: world.clock.now(), leaseMs: 60 * second, holder: 'other' };
    await world.coordination.acquire(0, lease, noMemory);
    expect(await world.sweep('a').tick()).toEqual(nothing);
    expect(world.handedOver).toEqual([]);
  });

  test('that could not be handed over fails the tick; a page was recovered, and the next tick continues', async () => {
    const world = scenario();
    await world.createDue(many);
    await expect(world.sweep('a', { handOver: away }).tick()).rejects.toThrow('away');
    expect(await sweptAt(world)).toBeNull();
    expect(await world.sweep('b').tick()).toMatchObject({
      found: 50,
      interrupted: 0,
      handedOver: 0,
    });
    expect(await world.failures()).toEqual(counted);
  });
});

describe('a backlog is no outage', () => {
  const pages = 6;

  test('a shard that is unfinished for six periods has every failure counted', async () => {
    const world = scenario();
    await world.sweep('first').tick();
    await world.createDue(pages * limits.sweepPage);
    const ticks: { recovered: number; interrupted: number; lagMs: number }[] = [];
    // Every hand-over is lost: a tick gets through a page, and the next one through another.
    for (let tick = 0; tick < pages; tick += 1) {
      ticks.push(await world.sweep(`t${tick}`).tick());
      world.clock.jump(60 * second);
    }
    expect(ticks.map(({ recovered }) => recovered)).toEqual(ticks.map(() => limits.sweepPage));
    expect(ticks.map((tick) => tick.interrupted)).toEqual(ticks.map(() => 0));
    expect(ticks.at(-1)?.lagMs).toBeGreaterThan(5 * 60 * second);
    expect(await world.failures()).toEqual(counted);
    const behind = world.log.lines.filter(({ event }) => event === 'sweep-behind');
    expect(behind.map(({ fields }) => fields?.['shard'])).toEqual([0, 0, 0]);
  });

  test('a long sweep between two ticks is none either', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('first').tick();
    await world.createDue(3 * limits.sweepPage);
    await world.sweep('tick').tick();
    const slow = () => {
      clock.jump(50 * second);
      return true;
    };
    await world.sweep('slow').shard(0, slow);
    clock.jump(60 * second);
    expect(await world.sweep('next').tick()).toMatchObject({ interrupted: 0 });
    expect(await world.failures()).toEqual(counted);
  });
});

describe('an outage', () => {
  const hour = 3_600 * second;
  const gap = (from: number, until: number) => [{ from, until }];

  test('is interrupted page by page, in however many ticks, at the rate of the ramp (R20)', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick();
    const from = clock.now();
    await world.createDue(limits.sweepPage + 50);
    clock.jump(hour);
    const until = clock.now();
    const first = { recovered: limits.sweepPage, interrupted: limits.sweepPage, handedOver: 1 };
    expect(await world.sweep('b').tick()).toMatchObject(first);
    const rampAt = until + (limits.sweepPage * second) / limits.recoveryRampPerSecond;
    const left = { ...noMemory, aliveAt: until, gaps: gap(from, until), rampAt };
    expect(await world.unfinished()).toEqual([[0, left]]);
    clock.jump(second);
    expect(await world.sweep('d').tick()).toMatchObject({ recovered: 50, interrupted: 50 });
    expect(await world.failures()).toEqual(interrupted);
  });

  test('is remembered until what it made late must have been due, though all was recovered', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick();
    const from = clock.now();
    await world.createDue(3);
    clock.jump(hour - 12 * second);
    // Its request waited in a queue for all the time that it was given.
    await world.createClaimed('late');
    clock.jump(2 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
    const until = clock.now();
    clock.jump(60 * second);
    expect(await world.sweep('c').tick()).toMatchObject({ interrupted: 4 });
    expect(await world.record(orderId('late'))).toMatchObject({ failureCount: 0 });
    const [[, left] = []] = await world.unfinished();
    expect(left?.gaps).toEqual(gap(from, until));
    for (let minute = 0; minute < 6; minute += 1) {
      clock.jump(60 * second);
      await world.sweep(`minute-${minute}`).tick();
    }
    expect(await world.unfinished()).toEqual([]);
  });

  test('counts failures of attempts that began after it', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick();
    await world.createDue(3);
    clock.jump(hour);
    await world.sweep('b').tick();
    // Begun after the outage, it hangs.
    const after = await world.createClaimed('after');
    clock.jump(60 * second);
    await world.sweep('c').tick();
    expect((await world.record(after.orderId)).failureCount).toBe(2);
    expect(await world.failures()).toEqual(interrupted);
  });

  test('counts failures of attempts that were overdue long before it', async () => {
    const world = scenario();
    await world.createDue(3);
    world.clock.jump(200 * second);
    await world.coordination.remember({
      sweptAt: world.clock.now(),
      nowMs: world.clock.now(),
      reachedAt: null,
      shardCounts: [1],
      complete: true,
    });
    world.clock.jump(hour);
    expect(await world.sweep('a').tick()).toMatchObject({ recovered: 3, interrupted: 0 });
    expect(await world.failures()).toEqual(counted);
  });

  test('applies to the whole of a shard whose first sweep crashed (R20)', async () => {
    const world = scenario();
    await world.coordination.remember({
      sweptAt: world.clock.now(),
      nowMs: world.clock.now(),
      reachedAt: null,
      shardCounts: [1],
      complete: true,
    });
    const lease = { nowMs: world.clock.now(), leaseMs: 60 * second, holder: 'died' };
    await world.coordination.acquire(0, lease, noMemory);
    await world.createDue(3);
    world.clock.jump(hour);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
  });

  test('is stored before the first page, so that a sweep that crashes leaves it to the next (R20)', async () => {
    let hangs = false;
    const world = scenario(memoryCoordination(), (store) => ({
      ...store,
      commit: (record, replaced) =>
        hangs ? new Promise(() => {}) : store.commit(record, replaced),
    }));
    const { clock, coordination } = world;
    // No sweep of the shard was ever completed: only the ticks show since when.
    await coordination.remember(unreached(clock.now()));
    await coordination.acquire(
      0,
      { nowMs: clock.now(), leaseMs: second, holder: 'died' },
      noMemory,
    );
    await world.createDue(3);
    clock.jump(hour);
    hangs = true;
    void world.sweep('dies').tick();
    await settled();
    clock.jump(30 * second);
    expect(await world.sweep('refused').tick()).toEqual(nothing);
    hangs = false;
    clock.jump(31 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
    expect(await world.failures()).toEqual(interrupted);
  });

  test('applies to a shard that was never finished, although a tick found its lease with one that died (R20)', async () => {
    const world = scenario();
    const { clock, coordination } = world;
    // No sweep of the shard was ever completed, and no tick swept every shard itself.
    await coordination.remember(unreached(clock.now()));
    const lease = (holder: string) => ({ nowMs: clock.now(), leaseMs: 60 * second, holder });
    await coordination.acquire(0, lease('died before the outage'), noMemory);
    await world.createDue(3);
    clock.jump(hour);
    await coordination.acquire(0, lease('died after the outage'), noMemory);
    clock.jump(30 * second);
    expect(await world.sweep('refused').tick()).toEqual(nothing);
    clock.jump(31 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
    expect(await world.failures()).toEqual(interrupted);
  });

  test('is none where ticks were completed, although a sweep that had recalled before them left a shard', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick();
    const longAgo = { ...noMemory, aliveAt: clock.now() };
    for (let minute = 1; minute <= 60; minute += 1) {
      clock.jump(60 * second);
      await world.sweep(`minute-${minute}`).tick();
    }
    const lease = { nowMs: clock.now(), leaseMs: 60 * second, holder: 'frozen' };
    await world.coordination.acquire(0, lease, longAgo);
    await world.createDue(3);
    clock.jump(60 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 0 });
    expect(await world.failures()).toEqual(counted);
  });

  test('is none where a tick reached the shard, although an older one failed there later (R20)', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const world = scenario();
    const { clock } = world;
    const twoShards = { ...world.store, dueShards: 2 };
    await world.sweep('first', { store: twoShards }).tick();
    clock.jump(100 * second);
    // It waits in shard 1 for so long that another tick runs meanwhile, and then fails there.
    const slow: StateStore = {
      ...twoShards,
      async due(query) {
        if (query.shard === 1) {
          await answered;
          await away();
        }
        return world.store.due(query);
      },
    };
    const slowTick = world.sweep('slow', { store: slow }).tick();
    await settled();
    clock.jump(60 * second);
    await world.sweep('another', { store: twoShards }).tick();
    answer();
    await expect(slowTick).rejects.toThrow('The store is away.');
    expect(await world.unfinished()).toEqual([[1, { ...noMemory, aliveAt: clock.now() }]]);
  });

  test('ends where a sweep that died before its first write had begun it', async () => {
    const world = scenario();
    const { clock } = world;
    await world.sweep('a').tick();
    await world.createDue(3);
    clock.jump(hour);
    const dying: Coordination = { ...world.coordination, keep: () => new Promise(() => {}) };
    void world.sweep('dies', { coordination: dying }).tick();
    await settled();
    clock.jump(61 * second);
    expect(await world.sweep('b').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
    expect(await world.failures()).toEqual(interrupted);
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
      commit: (record, replaced) => (down ? broken(store) : store).commit(record, replaced),
    }));
    await world.sweep('a').tick();
    const before = world.clock.now();
    await world.createDue(3);
    down = true;
    for (const holder of ['b', 'c', 'd']) {
      world.clock.jump(60 * second);
      await expect(world.sweep(holder, { store: broken(world.store) }).tick()).rejects.toThrow();
    }
    expect(await sweptAt(world)).toBe(before);
    down = false;
    world.clock.jump(60 * second);
    expect(await world.sweep('e').tick()).toMatchObject({ recovered: 3, interrupted: 3 });
    expect(await world.failures()).toEqual(interrupted);
  });

  describe('for one shard', () => {
    const half = (world: Swept): StateStore => {
      const due: StateStore['due'] = (query) =>
        query.shard === 1 ? away() : world.store.due(query);
      return { ...world.store, due };
    };

    test('has finished the others when it fails', async () => {
      const world = scenario();
      const mark = {
        sweptAt: world.clock.now(),
        nowMs: world.clock.now(),
        reachedAt: null,
        shardCounts: [2],
        complete: true,
      };
      await world.coordination.remember(mark);
      await world.createDue(3);
      const reports: TickReport[] = [];
      const sweep = world.sweep('a', { store: half(world) });
      await expect(sweep.tick((report) => reports.push(report))).rejects.toThrow('away');
      // What was swept is counted.
      expect(reports[0]).toMatchObject({ found: 3, recovered: 3 });
      // Nothing of it may still run: a function is frozen when its handler has ended.
      expect(await world.failures()).toEqual(counted);
    });

    test('for an hour has only that one interrupted (R20)', async () => {
      const marks: boolean[] = [];
      const memory = memoryCoordination();
      const world = scenario({
        ...memory,
        async remember(mark) {
          marks.push(mark.complete);
          await memory.remember(mark);
        },
      });
      const from = world.clock.now();
      await world.coordination.remember({
        sweptAt: from,
        nowMs: from,
        reachedAt: null,
        shardCounts: [2],
        complete: true,
      });
      for (let minute = 1; minute <= 60; minute += 1) {
        world.clock.jump(60 * second);
        const sweep = world.sweep(`s${minute}`, { store: half(world) });
        await expect(sweep.tick()).rejects.toThrow('away');
      }
      // The alarm on completed sweeps counts complete ones alone.
      expect(marks).toEqual([true, ...Array.from({ length: 60 }, () => false)]);
      await world.createDue(3);
      expect(await world.sweep('whole').tick()).toMatchObject({ recovered: 3, interrupted: 0 });
      const until = world.clock.now();
      expect(await world.unfinished()).toEqual([
        [1, { ...noMemory, aliveAt: until, gaps: [{ from, until }] }],
      ]);
    });
  });
});

test('a store that refuses page after page counts as unavailable, although the sweep continues (R20)', async () => {
  let down = true;
  const world = scenario(memoryCoordination(), (store) => ({
    ...store,
    commit: (record, replaced) => (down ? away() : store.commit(record, replaced)),
  }));
  await world.sweep('a').tick();
  await world.createDue(limits.sweepPage + 50);
  await expect(world.sweep('b').tick()).rejects.toThrow('200 of 200');
  for (let minute = 0; minute < 4; minute += 1) {
    world.clock.jump(60 * second);
    await expect(world.sweep(`s${minute}`).shard(0, yes)).rejects.toThrow('250 of 250');
  }
  down = false;
  for (const holder of ['c', 'd']) {
    await world.sweep(holder).tick();
    world.clock.jump(second);
  }
  expect(await world.failures()).toEqual(interrupted);
});
