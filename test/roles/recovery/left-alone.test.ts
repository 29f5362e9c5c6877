/** An outage after a sweep that left late calls alone, because their replies waited (R20). */
import { expect, test } from 'vitest';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import type { ReplyDelay } from '#core/flow/reply-delay.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { leavingWaitingReplies } from '#roles/recovery/waiting-replies.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { memoryCoordination } from '../../support/memory-coordination.ts';
import { roleScenario } from '../scenario.ts';

const second = 1_000;
const minute = 60 * second;
const outageAfterMs = 3 * minute;

/** The walls of each house are to be complete within 10 s. `waits` notes that replies have waited for so long. */
function waitingWorld() {
  const away = new Set<OrderId>();
  const world = roleScenario((store) => ({
    ...store,
    commit: (record, replaced) =>
      away.has(record.orderId)
        ? Promise.reject(new UnavailableError('store-unavailable', 'Later.'))
        : store.commit(record, replaced),
  }));
  const { clock } = world;
  const start = clock.now();
  const memories = new Map<number, ShardMemory>([[0, { ...noMemory, aliveAt: start }]]);
  let delay: ReplyDelay | null = null;
  const transitions = leavingWaitingReplies({
    ...world,
    replyDelays: { read: async () => delay },
  });
  const role = supervisor({ ...world, transitions, outageAfterMs });
  return {
    ...world,
    ...{ away, start, memories, role, transitions },
    sweep: () => role.sweep(memories),
    waits(ms: number) {
      delay = { ms, at: clock.now() };
    },
    countedOf: async (id: OrderId) => (await world.record(id)).failureCount,
  };
}

test('a sweep that was refused every write it asked for is none, also where it left other calls alone', async () => {
  const { clock, start, createClaimed, away, sweep, waits, memories } = waitingWorld();
  away.add((await createClaimed('refused')).orderId);
  clock.jump(30 * second);
  await createClaimed('waiting');
  clock.jump(11 * second);
  // The refused one is late for longer than twice this.
  waits(10 * second);
  await expect(sweep()).rejects.toMatchObject({
    code: 'sweep-unwritten',
    message: expect.stringContaining('1 of 2'),
  });
  expect(memories.get(0)).toMatchObject({ aliveAt: start });
});

test('the calls that a sweep left alone are those of the outage that follows', async () => {
  const { clock, start, createClaimed, sweep, waits, memories, countedOf } = waitingWorld();
  const { orderId } = await createClaimed('waiting');
  for (const at of [11, 71, 131, 191, 251]) {
    clock.jump(start + at * second - clock.now());
    waits(5 * minute);
    expect(await sweep()).toMatchObject({ found: 1, recovered: 0, finished: true });
  }
  const waitingFrom = start + 10 * second;
  expect(memories.get(0)).toMatchObject({ aliveAt: start + 251 * second, waitingFrom });
  // Long enough that its complete-by alone would not be of the outage, and no note counts any longer.
  clock.jump(20 * minute);
  expect(await sweep()).toMatchObject({ outage: true, interrupted: 1 });
  expect(await countedOf(orderId)).toBe(0);
});

test('without an outage they are failures when no reply waits any longer', async () => {
  const { clock, createClaimed, sweep, waits, memories, countedOf } = waitingWorld();
  const { orderId } = await createClaimed('waiting');
  clock.jump(11 * second);
  waits(minute);
  await sweep();
  for (let minutes = 0; minutes < 2; minutes += 1) {
    clock.jump(minute);
    await sweep();
  }
  expect(await countedOf(orderId)).toBe(2);
  expect(memories.get(0)).toEqual({ ...noMemory, aliveAt: clock.now() });
});

test('a tick does not finish a shard whose late calls it left alone', async () => {
  const { clock, start, createClaimed, role, store, waits } = waitingWorld();
  await createClaimed('waiting');
  const coordination = memoryCoordination();
  const { tick } = sweepTick({
    ...{ supervisor: role, store, coordination, clock, holder: 'one', leaseMs: minute },
    handOver: async () => {},
    lookAhead: async () => {},
  });
  clock.jump(11 * second);
  waits(second);
  await tick();
  const left = { ...noMemory, aliveAt: clock.now(), waitingFrom: start + 10 * second };
  expect([...(await coordination.recall(1)).unfinished]).toEqual([[0, left]]);
  clock.jump(minute);
  await tick();
  expect([...(await coordination.recall(1)).unfinished]).toEqual([]);
});
