/** R16: once faults have ended, and all clocks were right, orders continue when they are due, not days later. */
import type { Breach } from '#checkers/violation.ts';
import { dueAt } from '#core/decide/due.ts';
import { leftAloneMaxMs } from '#core/flow/reply-delay.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { World } from '#sim/world/world.ts';

/** What the faults left is over by then, ms: a process is frozen for two minutes, a store recovers for as long. */
const settledMs = 300_000;
/** Sweeps in which an order is found: a lease may be of a sweep that died. */
const sweepsMax = 5;
/** The same of a slow Supervisor, whose sweeps end before they have reached every order. */
const slowSweepsMax = 10;
/** Ticks look for orders in shards that they do not know once in an hour, ms. */
const searchedEveryMs = 3_600_000;
/** How late a message comes that is delayed to an instant, and the claim that it asks for, ms. */
const delayedMaxMs = 5_000;

type Judged = Pick<World, 'shared' | 'setting' | 'calmSince'>;

/** Looks at how late each write came. A write that never comes is an order that does not end. */
export function judgePromptness(writes: readonly Write[], world: Judged, breach: Breach): void {
  const { sweepPeriodMs, recoveryMs } = world.setting;
  // A slow Supervisor has not read the records when the instant comes: then a sweep finds the order.
  const isSlow = recoveryMs > sweepPeriodMs / 10;
  const foundWithinMs = (isSlow ? slowSweepsMax : sweepsMax) * sweepPeriodMs;
  const delayedMs = isSlow ? foundWithinMs : delayedMaxMs;
  const settledAt = (world.calmSince() ?? Number.POSITIVE_INFINITY) + settledMs;
  for (const { before, after, at } of writes) {
    if (before === null || at < settledAt || before.isHeld === true) continue;
    const isHidden = isInUnknownShard(before, world);
    const due = dueAt(before);
    if (due === null) continue;
    const lateMs = at - Math.max(due, settledAt);
    const searchMs = isHidden ? searchedEveryMs : 0;
    if (lateMs > foundWithinMs + repliesMs(before, world) + searchMs)
      breach('R16', `${after.orderId} was due for ${lateMs} ms before it continued`);
    // The faults may have prevented the sweeps that send the message.
    const isAwaited = before.notBefore > settledAt + foundWithinMs;
    const waitedMs = at - before.notBefore;
    if (isAwaited && !isHidden && waitsLong(before) && waitedMs > delayedMs)
      breach('R16', `${after.orderId} continued ${waitedMs} ms after the end of its wait`);
  }
}

/** Whether only a release that was taken back has a shard of the order: it may have left no mark of its number (docs/design.md). */
const isInUnknownShard = ({ orderId }: ProcessRecord, { shared: { table, shards } }: Judged) =>
  table.shardsOf(orderId).some((shard) => shard >= shards.new);

/** Sweeps leave late calls alone whose replies may wait. */
const repliesMs = ({ steps }: ProcessRecord, { shared: { replyDelays } }: Judged): number =>
  steps.some(({ agent }) => replyDelays.has(agent)) ? leftAloneMaxMs : 0;

/** Whether the order waits for longer than a message can be delayed, so that a sweep must look ahead to it. */
const waitsLong = ({ processState, notBefore, updatedAt }: ProcessRecord): boolean =>
  processState === 'Pending' && notBefore - updatedAt > limits.messageDelayMaxMs;
