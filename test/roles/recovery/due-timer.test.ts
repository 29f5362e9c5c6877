/** The timer of one process: orders are recovered at their instants, without sweeps. */
import { expect, onTestFinished, test } from 'vitest';
import { type OrderId, writeId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { dueTimer } from '#roles/recovery/due-timer.ts';
import { settled } from '../../support/virtual-clock.ts';
import { type RoleScenario, roleScenario } from '../scenario.ts';

const sweepPeriodMs = 1_000;

function timerIn(world: RoleScenario) {
  const start = world.clock.now();
  const seen: string[] = [];
  const listeners = new Set<(record: ProcessRecord) => void>();
  const timer = dueTimer({
    ...world,
    sweepPeriodMs,
    watchRecords(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nudges: {
      async send(nudges: readonly Nudge[]) {
        seen.push(...nudges.map(({ orderId }) => `nudge ${orderId} ${world.clock.now() - start}`));
      },
    },
    async recover(orderIds: readonly OrderId[]) {
      seen.push(...orderIds.map((orderId) => `recover ${orderId} ${world.clock.now() - start}`));
    },
  });
  onTestFinished(timer.stop);
  const wrote = (record: ProcessRecord) => {
    for (const listener of listeners) listener(record);
  };
  return { ...timer, seen, wrote, start, watched: () => listeners.size };
}

async function wait(world: RoleScenario, id: string, ms: number): Promise<ProcessRecord> {
  const record = await world.create(id);
  const notBefore = record.updatedAt + ms;
  const waiting = { ...record, notBefore, revision: 2, writeId: writeId(id) };
  await world.store.commit(waiting);
  return waiting;
}

/** The walls of the house are to be complete within 10 s. */
test('an order whose agent is silent is recovered 1 ms after its complete-by', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  timer.wrote(await world.createClaimed('one'));
  for (let sweeps = 0; sweeps <= 10; sweeps += 1) {
    await timer.lookAhead();
    await world.clock.advance(sweepPeriodMs - 1);
  }
  expect(timer.seen).toEqual(['recover one 10001']);
});

test('an order that ended in time is not touched', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  const record = await world.createClaimed('one');
  await world.clock.advance(9_000);
  await timer.lookAhead();
  const ended = { ...record, processState: 'Undone', lockedBy: null, completeBy: null } as const;
  await world.store.commit({ ...ended, revision: record.revision + 1, writeId: writeId('end') });
  await world.clock.advance(3_000);
  expect(timer.seen).toEqual([]);
});

test('an order that ends in time is not read again', async () => {
  let reads = 0;
  const world = roleScenario((store) => ({
    ...store,
    records(ids) {
      reads += 1;
      return store.records(ids);
    },
  }));
  const timer = timerIn(world);
  const record = await world.createClaimed('one');
  await world.clock.advance(9_000);
  await timer.lookAhead();
  timer.wrote(record);
  timer.wrote({ ...record, processState: 'Undone', lockedBy: null, completeBy: null });
  const before = reads;
  await world.clock.advance(3_000);
  expect([reads - before, timer.seen]).toEqual([0, []]);
});

test('an order whose complete-by was moved is recovered at the later one', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  const record = await world.createClaimed('one');
  await world.clock.advance(9_000);
  await timer.lookAhead();
  const completeBy = timer.start + 10_500;
  const steps = record.steps.map((step) =>
    step.progress.state === 'Running'
      ? { ...step, progress: { ...step.progress, completeBy } }
      : step,
  );
  const moved = { ...record, steps, revision: record.revision + 1, writeId: writeId('beat') };
  if (moved.processState !== 'Processing') throw new Error('it was claimed');
  await world.store.commit({ ...moved, completeBy });
  await world.clock.advance(2_000);
  expect(timer.seen).toEqual(['recover one 10501']);
});

test('a wait of the former process ends at its instant', async () => {
  const world = roleScenario();
  await wait(world, 'one', 1_700);
  await world.clock.advance(1_000);
  const timer = timerIn(world);
  await timer.lookAhead();
  await world.clock.advance(5_000);
  expect(timer.seen).toEqual(['nudge one 700']);
});

test('a wait that is too long for a delayed message ends at its instant', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  const ms = limits.messageDelayMaxMs + 300;
  timer.wrote(await wait(world, 'far', ms));
  await world.clock.advance(limits.messageDelayMaxMs);
  await timer.lookAhead();
  await world.clock.advance(5_000);
  expect(timer.seen).toEqual([`nudge far ${ms}`]);
});

test('a wait whose delayed nudge this process has sent itself gets no second one', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  timer.wrote(await wait(world, 'one', 700));
  await timer.lookAhead();
  await world.clock.advance(5_000);
  expect(timer.seen).toEqual([]);
});

test('calls of the former process are left to its restart', async () => {
  const world = roleScenario();
  await world.createClaimed('one');
  await world.clock.advance(9_500);
  const timer = timerIn(world);
  await timer.lookAhead();
  await world.clock.advance(5_000);
  expect(timer.seen).toEqual([]);
});

test('the deadline of an order of the former process ends at its instant', async () => {
  const world = roleScenario();
  const record = await wait(world, 'one', 60_000);
  const deadline = { lateAt: record.updatedAt + 1_700, onLate: 'hold' } as const;
  await world.store.commit({ ...record, deadline, revision: 3, writeId: writeId('deadline') });
  await world.clock.advance(1_000);
  const timer = timerIn(world);
  await timer.lookAhead();
  await world.clock.advance(5_000);
  expect(timer.seen).toEqual(['recover one 700']);
});

test('a stopped timer watches nothing, and leaves no timer', async () => {
  const world = roleScenario();
  const timer = timerIn(world);
  await timer.lookAhead();
  timer.wrote(await world.createClaimed('one'));
  await world.clock.advance(9_000);
  await timer.lookAhead();
  const pending = world.clock.pending();
  timer.stop();
  expect(world.clock.pending()).toBe(pending - 1);
  expect(timer.watched()).toBe(0);
});

test('what the timer cannot recover is logged, and left to the sweep', async () => {
  const world = roleScenario();
  const timer = dueTimer({
    ...world,
    sweepPeriodMs,
    watchRecords: () => () => {},
    nudges: { send: async () => {} },
    recover: () => Promise.reject(new Error('away')),
  });
  onTestFinished(timer.stop);
  await world.createClaimed('one');
  await world.clock.advance(9_500);
  await timer.lookAhead();
  await world.clock.advance(1_000);
  await settled();
  expect(world.log.lines.map(({ event }) => event)).toEqual(['prompt-recovery-failed']);
});
