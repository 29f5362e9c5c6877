/**
 * Deadline checks: delayed messages by which the Supervisor looks at an order when the agent of one of its steps may be
 * silent, instead of at its next sweep. A check is only a hint: lost, late or repeated, it changes no order, because
 * the record decides and the sweep finds every order that is due.
 *
 * A claim sends the first check, for the earliest instant at which a call of the order can be late. A check that finds
 * nothing late is sent again for the earliest deadline of the calls in flight, until the order ends or is claimed again.
 * From then on, a write that brings the earliest deadline forward sends a check of its own, which ends where the other takes over.
 * So one check is always on its way to the earliest deadline, and a quick order has one in its life.
 */
import { limits } from '#core/model/limits.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import { callPolicy } from '#core/model/policy.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import { overdueAt } from '../due.ts';

/** The check that a write of the Scheduler requires; null: one that was sent before is early enough, or none is needed. */
export function checkAfter(before: ProcessRecord, after: ProcessRecord): DeadlineCheck | null {
  const due = overdueAt(after);
  if (after.processState !== 'Processing' || due === null) return null;
  const { updatedAt: nowMs } = after;
  const claimedAt = latestClaimAt(after);
  const isClaim = before.processState === 'Pending';
  const firstMs = shortestCallMs(after.steps) + 1;
  const firstAt = (claimedAt ?? Number.NEGATIVE_INFINITY) + firstMs;
  if (isClaim) return sendable(after, { at: Math.min(due, firstAt), claimedAt }, nowMs);
  const until = overdueAt(before);
  // Until then, no call can be late before the first check of the claim comes, if a message can be delayed for so long.
  const isChecked = firstMs <= limits.messageDelayMaxMs && nowMs < firstAt;
  if (isChecked || until === null) return null;
  if (due < until) return sendable(after, { at: due, claimedAt, until }, nowMs);
  // No check could be sent to this deadline before, and a sweep that looks ahead finds only orders that were last written then.
  const wasFar = due - before.updatedAt > limits.messageDelayMaxMs;
  return wasFar ? sendable(after, { at: due, claimedAt }, nowMs) : null;
}

/** What follows a check that has come, on the record as it is now; null: nothing, or what another message does. */
export function nextCheck(
  record: ProcessRecord,
  { claimedAt, until = Number.POSITIVE_INFINITY }: Pick<DeadlineCheck, 'claimedAt' | 'until'>,
  nowMs: number,
): DeadlineCheck | null {
  const due = overdueAt(record);
  if (hasLaterClaim(record, claimedAt) || due === null || due >= until) return null;
  const next = { at: due, claimedAt };
  const isLast = until === Number.POSITIVE_INFINITY;
  return sendable(record, isLast ? next : { ...next, until }, nowMs);
}

/** After this, an order whose replies may wait is looked at again, ms; then after twice as long, and so on. */
const laterMs = 2_000;

/**
 * What follows a check that has come, and left a late call alone because its reply may wait; null: another check looks, or the sweep.
 * A message that is delivered twice must not make two that do the same: so all checks of a late call are for few instants, the same
 * for each of them, and farther apart the later it is.
 */
export function laterCheck(
  record: ProcessRecord,
  check: DeadlineCheck,
  nowMs: number,
): DeadlineCheck | null {
  const due = overdueAt(record);
  if (hasLaterClaim(record, check.claimedAt) || due === null) return null;
  let waitMs = laterMs;
  while (due + waitMs <= nowMs) waitMs *= 2;
  return sendable(record, { ...check, at: due + waitMs }, nowMs);
}

/** The check of a deadline that was farther away than a message can be delayed; null: not within that now. */
export function farCheck(record: ProcessRecord, nowMs: number): DeadlineCheck | null {
  return nextCheck(record, { claimedAt: latestClaimAt(record) }, nowMs);
}

/** A deadline that has passed is left to the sweep, and so is one that is too far away: the sweep looks ahead. */
function sendable(
  { orderId }: ProcessRecord,
  check: Omit<DeadlineCheck, 'orderId'>,
  nowMs: number,
): DeadlineCheck | null {
  const isWithin = check.at > nowMs && check.at - nowMs <= limits.messageDelayMaxMs;
  return isWithin ? { ...check, orderId } : null;
}

/** A later claim has sent a check of its own. */
function hasLaterClaim(record: ProcessRecord, claimedAt: number | null): boolean {
  const latest = latestClaimAt(record);
  return latest !== null && latest !== claimedAt;
}

/** Identifies the checks that belong together; null for a history that lost it. */
function latestClaimAt({ history }: ProcessRecord): number | null {
  return history.findLast(({ type }) => type === 'claim')?.at ?? null;
}

/** The shortest time in which a call of any of the steps can be late, ms; its undo included, which may begin at any time. */
function shortestCallMs(steps: readonly StepRecord[]): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const { policy } of steps) {
    const undo = callPolicy(policy, 'undo').completeWithinMs;
    shortest = Math.min(shortest, policy.completeWithinMs, undo);
  }
  return shortest;
}
