/** Late calls whose replies may wait in their queues. */
import { expect, test } from 'vitest';
import type { ReplyDelay } from '#core/flow/reply-delay.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName, orderId, writeId } from '#core/model/ids.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import { underWay } from '#core/model/record.ts';
import { deadlineChecks } from '#roles/recovery/deadline-checks.ts';
import { leavingWaitingReplies } from '#roles/recovery/waiting-replies.ts';
import { supervisor } from '#roles/supervisor.ts';
import { memoryCoordination } from '../../support/memory-coordination.ts';
import { roleScenario } from '../scenario.ts';

const minute = 60_000;

/** The walls of each house are to be complete within 10 s. `delayMs`: of the replies, noted a second ago; null: none. */
async function lateOrders(delayMs: number | null, isFailing = false, onRead = () => {}) {
  const world = roleScenario();
  const start = world.clock.now();
  const coordination = memoryCoordination();
  await coordination.remember({
    ...{ sweptAt: start, nowMs: start, reachedAt: start, shardCounts: [1], complete: true },
  });
  const { orderId: id, revision } = await world.createClaimed('one');
  const reads: string[] = [];
  const sent: DeadlineCheck[] = [];
  let delay: ReplyDelay | null =
    delayMs === null ? null : { ms: delayMs, at: start + 10_001 - 1_000 };
  const transitions = leavingWaitingReplies({
    ...world,
    replyDelays: {
      async read(agent) {
        reads.push(agent);
        onRead();
        if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
        return delay;
      },
    },
  });
  const checks = deadlineChecks({
    ...world,
    ...{ transitions, coordination, shards: 1, outageAfterMs: 3 * minute },
    checks: { send: async (messages) => void sent.push(...messages) },
  });
  const check: DeadlineCheck = { orderId: id, at: start + 10_001, claimedAt: start };
  return {
    ...world,
    ...{ start, reads, sent, transitions, revision, id, check },
    look: () => checks.onChecks([check]),
    notes(ms: number) {
      delay = { ms, at: world.clock.now() };
    },
  };
}

test('a late call is left while its reply may wait, and its order is checked again', async () => {
  const { clock, start, look, record, id, revision, sent, check } = await lateOrders(3_000);
  clock.jump(10_001);
  expect(await look()).toEqual([{ kind: 'done' }]);
  expect((await record(id)).revision).toBe(revision);
  expect(sent).toEqual([{ ...check, at: start + 12_001 }]);
});

test('so it is by a sweep, which finds it again', async () => {
  const world = await lateOrders(3_000);
  const { clock, record, id, revision, store } = world;
  const sweeps = supervisor({ ...world, store, outageAfterMs: 3 * minute });
  // The next key of the due index.
  clock.jump(11_000);
  expect(await sweeps.sweep(new Map())).toMatchObject({ found: 1, recovered: 0 });
  expect((await record(id)).revision).toBe(revision);
  clock.jump(6_001);
  expect(await sweeps.sweep(new Map())).toMatchObject({ found: 1, recovered: 1 });
  expect((await record(id)).failureCount).toBe(2);
});

test('it fails when replies have waited for twice as long', async () => {
  const { clock, look, record, id, sent } = await lateOrders(3_000);
  clock.jump(16_002);
  await look();
  expect((await record(id)).failureCount).toBe(2);
  expect(sent).toEqual([]);
});

test.each([
  ['no Scheduler noted a delay', null, false],
  ['the note cannot be read', 3_000, true],
])('a late call fails at once where %s', async (_, delayMs, isFailing) => {
  const { clock, look, record, id, log, reads } = await lateOrders(delayMs, isFailing);
  clock.jump(10_001);
  expect(await look()).toEqual([{ kind: 'done' }]);
  expect((await record(id)).failureCount).toBe(2);
  expect(reads).toEqual(['paint']);
  const warned = log.lines.filter(({ event }) => event === 'reply-delay-unread');
  expect(warned).toHaveLength(isFailing ? 1 : 0);
});

test('nothing is read while no call is late, and once for many that are', async () => {
  const { clock, look, reads, notes, createClaimed, transitions } = await lateOrders(3_000);
  await look();
  expect(reads).toEqual([]);
  await createClaimed('two');
  clock.jump(10_001);
  notes(3_000);
  const batch = ['one', 'two'].map((name) => ({
    orderId: orderId(name),
    event: () => ({ type: 'expired' }) as const,
  }));
  const outcomes = await transitions.apply(batch);
  expect(outcomes).toMatchObject([{ reason: 'left-alone' }, { reason: 'left-alone' }]);
  await transitions.apply(batch);
  expect(reads).toEqual(['paint']);
  clock.jump(3_001);
  await transitions.apply(batch);
  expect(reads).toEqual(['paint', 'paint']);
});

test('other events are applied while replies wait', async () => {
  const { clock, transitions, record, id } = await lateOrders(3_000);
  clock.jump(10_001);
  const cancel = { type: 'cancel', by: 'olga' } as const;
  expect(await transitions.apply([{ orderId: id, event: () => cancel }])).toMatchObject([
    { kind: 'committed' },
  ]);
  expect((await record(id)).direction).toBe('undo');
});

test('a call of another agent that becomes late meanwhile is judged by a delay of its own', async () => {
  const world = await lateOrders(null, false, () => clock.jump(2_000));
  const { clock, start, look, record, id, store, reads, sent } = world;
  const { steps, revision, ...rest } = await record(id);
  const later = steps.map((step) =>
    step.name === 'west' && underWay(step.progress)
      ? {
          ...step,
          agent: agentName('print'),
          progress: { ...step.progress, completeBy: start + 12_000 },
        }
      : step,
  );
  await store.commit({
    ...{ ...rest, steps: later, revision: revision + 1 },
    writeId: writeId('later'),
  });
  clock.jump(10_001);
  await look();
  expect(reads).toEqual(['paint', 'print']);
  expect(sent).toEqual([]);
  expect((await record(id)).failureCount).toBe(2);
});
