/** Outages that the sweeps before did not show: no failure is counted because of them (R20). */
import { expect, test } from 'vitest';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId, writeId } from '#core/model/ids.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import type { Transitions } from '#roles/transitions/transitions.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';
import { scenario as ticking } from './sweep-scenario.ts';

const second = 1_000;
const minute = 60 * second;
const outageAfterMs = 3 * minute;

/** `transitions`: how the orders of a sweep are handled; `limit`: how many orders a page has. */
function sweeping(
  world: RoleScenario,
  transitions: Transitions = world.transitions,
  limit: number = 1,
) {
  const { clock, log, store } = world;
  const due: StateStore['due'] = (query) => store.due({ ...query, limit });
  const role = supervisor({ store: { due, dueShards: 1 }, transitions, clock, log, outageAfterMs });
  return (memory: ShardMemory, pages = Number.POSITIVE_INFINITY) => {
    let left = pages;
    let kept = memory;
    const report = role.sweepShard({
      ...{ shard: 0, memory, recalledAt: clock.now(), shards: 1, gapsElsewhere: () => [] },
      mayContinue() {
        left -= 1;
        return left > 0;
      },
      async keep(next) {
        kept = next;
      },
    });
    return { report, kept: () => kept };
  };
}

/** The order is left alone, as one whose replies may wait. */
const leavingAlone = (world: RoleScenario, id: string): Transitions => ({
  apply: async (batch) =>
    Promise.all(
      batch.map(async (one) => {
        if (one.orderId === id) {
          return { kind: 'ignored', reason: 'left-alone', record: await world.record(one.orderId) };
        }
        const [outcome] = await world.transitions.apply([one]);
        if (outcome === undefined) throw new Error('There is no outcome.');
        return outcome;
      }),
    ),
});

const aliveAt = (instant: number): ShardMemory => ({ ...noMemory, aliveAt: instant });

/** While it pauses, each read of records takes ten minutes. */
function pausing() {
  let isPaused = false;
  const world = roleScenario((store) => ({
    ...store,
    async records(ids) {
      const found = await store.records(ids);
      if (isPaused) world.clock.jump(10 * minute);
      return found;
    },
  }));
  return {
    ...world,
    pauses(pauses: boolean) {
      isPaused = pauses;
    },
    /** The east wall is to be complete within 10 s, the west wall within a minute. */
    async createUneven(id: string) {
      const record = await world.createClaimed(id);
      const later = world.clock.now() + minute;
      const steps = record.steps.map((step) =>
        step.name === 'west' && step.progress.state === 'Running'
          ? { ...step, progress: { ...step.progress, completeBy: later, endBy: later } }
          : step,
      );
      const changed = { ...record, steps, revision: record.revision + 1, writeId: writeId(id) };
      expect(await world.store.commit(changed)).toBe('committed');
      return record.orderId;
    },
  };
}

test('a sweep that stands still leaves an order to the next one, where a deadline has passed since it began', async () => {
  const { pauses, createUneven, ...world } = pausing();
  const ids = [await createUneven('a')];
  world.clock.jump(second);
  ids.push(await createUneven('b'));
  world.clock.jump(12 * second);
  pauses(true);
  const { left } = await sweeping(world)(aliveAt(world.clock.now())).report;
  pauses(false);
  for (const id of ids) expect(await world.record(id)).toMatchObject({ failureCount: 0 });
  world.clock.jump(second);
  const next = sweeping(world, world.transitions, 10)(left);
  expect(await next.report).toMatchObject({ outage: true, interrupted: 2 });
  for (const id of ids) expect(await world.record(id)).toMatchObject({ failureCount: 0 });
});

test('a sweep that takes long decides about the calls that were late when it began, on all pages (R16)', async () => {
  const { pauses, ...world } = pausing();
  const ids = ['a', 'b'].map((id) => orderId(id));
  for (const id of ids) await world.createClaimed(id);
  world.clock.jump(12 * second);
  pauses(true);
  const { recovered } = await sweeping(world)(aliveAt(world.clock.now())).report;
  pauses(false);
  expect(recovered).toBe(2);
  for (const id of ids) expect(await world.record(id)).toMatchObject({ failureCount: 2 });
});

test('a page that asks for no write does not show that the store accepts writes', async () => {
  const away = () => Promise.reject(new UnavailableError('store-unavailable', 'Later.'));
  const world = roleScenario((store) => ({ ...store, commit: away }));
  const { clock } = world;
  await world.createClaimed('a');
  clock.jump(second);
  await world.createClaimed('b');
  const before = clock.now();
  clock.jump(12 * second);
  const { report, kept } = sweeping(world, leavingAlone(world, 'a'))(aliveAt(before));
  await expect(report).rejects.toMatchObject({ code: 'sweep-unwritten' });
  expect(kept()).toMatchObject({ aliveAt: before });
});

test('a sweep that stops early keeps what the one before it left alone', async () => {
  const world = roleScenario();
  await world.createClaimed('a');
  world.clock.jump(20 * second);
  const waitingFrom = world.clock.now() - 30 * second;
  const memory = { ...aliveAt(world.clock.now() - second), waitingFrom };
  await world.createClaimed('b');
  world.clock.jump(20 * second);
  const sweep = sweeping(world);
  const stopped = await sweep(memory, 1).report;
  expect(stopped).toMatchObject({ stopped: true, recovered: 1, left: { waitingFrom } });
  expect(await sweep(stopped.left).report).toMatchObject({ left: { waitingFrom: null } });
});

test('a tick that waited long for the index takes the shard with what other ticks know by then', async () => {
  const { sweep, clock, coordination, store, createDue } = ticking();
  await createDue(1);
  await sweep('first').tick();
  clock.jump(minute);
  let isSlow = true;
  const taken: (number | null)[] = [];
  const due: StateStore['due'] = async (query) => {
    const found = await store.due(query);
    if (isSlow) {
      isSlow = false;
      clock.jump(70 * second);
      await sweep('meanwhile').tick();
    }
    return found;
  };
  await createDue(2);
  const other = sweep('slow', {
    store: { ...store, due },
    coordination: {
      ...coordination,
      acquire(shard, lease, first) {
        taken.push(first.aliveAt);
        return coordination.acquire(shard, lease, first);
      },
    },
  });
  await other.tick();
  expect(taken).toEqual([(await coordination.recall(1)).reachedAt]);
});
