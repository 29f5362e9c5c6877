import { expect, test } from 'vitest';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { periodicSweep } from '#roles/periodic-sweep.ts';
import type { SweepReport } from '#roles/recovery/sweep-shard.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const periodMs = 1_000;
const shards = 2;

/** A Supervisor whose sweeps end when the test ends them. */
function schedule() {
  const clock = virtualClock();
  const start = clock.now();
  const log = testLog();
  const begun: number[] = [];
  const given: (readonly [number, ShardMemory])[][] = [];
  let current = Promise.withResolvers<SweepReport>();
  const timer = periodicSweep(
    {
      shards,
      outageAfterMs: 30_000,
      sweepShard: () => Promise.reject(new Error('nobody asks for one shard')),
      recover: () => Promise.reject(new Error('nobody asks for single orders')),
      repairShard: () => Promise.reject(new Error('nobody asks for a repair')),
      async sweep(memories) {
        begun.push(clock.now() - start);
        given.push([...memories]);
        memories.set(0, { ...noMemory, aliveAt: clock.now() });
        current = Promise.withResolvers<SweepReport>();
        return current.promise;
      },
    },
    clock,
    periodMs,
    log,
  );
  return {
    clock,
    start,
    log,
    begun,
    given,
    timer,
    async ends(finished: boolean, startedAt = clock.now()) {
      const nothing = { found: 0, recovered: 0, interrupted: 0, lagMs: 0, outage: false };
      current.resolve({ ...nothing, startedAt, finished });
      await settled();
    },
    async fails(error: unknown) {
      current.reject(error);
      await settled();
    },
  };
}

test('a sweep begins one period after the end of the previous one', async () => {
  const { clock, begun, ends } = schedule();
  await clock.advance(periodMs - 1);
  expect(begun).toEqual([]);
  await clock.advance(1);
  expect(begun).toEqual([1_000]);
  await clock.advance(5 * periodMs);
  expect(begun).toEqual([1_000]);
  await ends(true);
  await clock.advance(periodMs);
  expect(begun).toEqual([1_000, 7_000]);
});

test('the last sweep is the last finished one; before the first, it is the start', async () => {
  const { clock, start, timer, ends, fails } = schedule();
  expect(timer.lastSweepAt()).toBe(start);
  await clock.advance(periodMs);
  expect(timer.lastSweepAt()).toBe(start);
  const first = clock.now();
  await clock.advance(300);
  await ends(true, first);
  expect(timer.lastSweepAt()).toBe(first);
  await clock.advance(periodMs);
  await ends(false);
  expect(timer.lastSweepAt()).toBe(first);
  await clock.advance(periodMs);
  await fails(new Error('the store is away'));
  expect(timer.lastSweepAt()).toBe(first);
});

test('every shard counts as alive at the start, and each sweep gets the memory of the previous one (R20)', async () => {
  const { clock, start, given, ends, fails } = schedule();
  const alive = { ...noMemory, aliveAt: start };
  await clock.advance(periodMs);
  await ends(true);
  await clock.advance(periodMs);
  await fails(new Error('the store is away'));
  await clock.advance(periodMs);
  const swept = (at: number) => [0, { ...noMemory, aliveAt: start + at }];
  expect(given).toEqual([
    [
      [0, alive],
      [1, alive],
    ],
    [swept(1_000), [1, alive]],
    [swept(2_000), [1, alive]],
  ]);
});

test.each([
  [new Error('the store is away'), 'the store is away'],
  ['a text', 'unknown'],
])('a failed sweep is logged, and the next one begins after a period: %s', async (...row) => {
  const [failure, error] = row;
  const { clock, begun, log, fails } = schedule();
  await clock.advance(periodMs);
  await fails(failure);
  expect(log.lines).toEqual([{ event: 'sweep-failed', fields: { error } }]);
  await clock.advance(periodMs);
  expect(begun).toEqual([1_000, 2_000]);
});

test('after a stop no sweep begins', async () => {
  const { clock, begun, timer } = schedule();
  timer.stop();
  await clock.advance(5 * periodMs);
  expect(begun).toEqual([]);
});

test('after a stop during a sweep no other begins, and its failure is not logged', async () => {
  const [finishing, failing] = [schedule(), schedule()];
  for (const { clock, timer } of [finishing, failing]) {
    await clock.advance(periodMs);
    timer.stop();
  }
  await finishing.ends(true);
  await failing.fails(new Error('the store is closed'));
  for (const { clock, begun, log } of [finishing, failing]) {
    await clock.advance(5 * periodMs);
    expect(begun).toEqual([1_000]);
    expect(log.lines).toEqual([]);
  }
});
