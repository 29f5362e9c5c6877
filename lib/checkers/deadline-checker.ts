/** Rules for failures, deadlines and limits of an order, in every write. */
import { limits } from '#core/model/limits.ts';
import {
  attemptsAllowed,
  type CallPolicy,
  callPolicy,
  undosFirstAllowed,
} from '#core/model/policy.ts';
import { actionOf, nextAction, underWay } from '#core/model/record.ts';
import { eachStep, failuresInAll, isOperatorEntry, type WriteRule } from './transition.ts';

/** R11: a timeout counts once for the step and once for its order, when a sweep finds it past complete-by. */
const failuresCountOnce: WriteRule = ({ before, after, entry, steps, at }) => {
  const counted = after.failureCount - before.failureCount;
  if (entry.type !== 'expired') return counted !== 0 && `${counted} failures counted`;
  const late = steps.filter(
    ({ was, is }) =>
      underWay(was.progress) && was.progress.completeBy < at && !underWay(is.progress),
  );
  if (counted !== late.length) return `${counted} failures of ${late.length} late steps`;
  // The begin of an undo resets the failure counts, and a resubmit those of a stopped order.
  if (after.processState !== 'Pending' || after.direction !== before.direction) return null;
  const forgotten = late.find(
    ({ was, is }) =>
      (before.direction === 'forward' || was.progress.state === 'Undoing') &&
      is.failures !== was.failures + 1,
  );
  return forgotten !== undefined && `${forgotten.own.name} has ${forgotten.is.failures} failures`;
};

/** R14: claims since an operator event and history entries are limited, and an unknown workflow is parked. */
const bounded: WriteRule = ({ after, entry }) => {
  const entries = after.history.filter(({ type }) => type !== 'shortened').length;
  if (entries > after.revision) return 'more history entries than revisions';
  let claims = 0;
  let wasClaimed = false;
  for (const one of after.history.slice(after.history.findLastIndex(isOperatorEntry) + 1)) {
    // R23: a claim whose attempt was given back is not counted.
    if (one.type === 'deferred' && wasClaimed) claims -= 1;
    if (one.type === 'deferred') wasClaimed = false;
    if (one.type === 'claim') claims += 1;
    if (one.type === 'claim') wasClaimed = true;
    if (one.type === 'shortened') claims += one.claims;
  }
  let allowed: number = limits.claimsSpare;
  for (const { policy, undoFirst } of after.steps) {
    allowed += attemptsAllowed(policy);
    if (undoFirst !== undefined) allowed += undosFirstAllowed(policy);
    // An order that an irreversible step stops during its undo has the direction forward, and its claims.
    const mayUndo = after.direction === 'undo' || after.processState === 'Error';
    if (mayUndo) allowed += attemptsAllowed(callPolicy(policy, 'undo'));
  }
  // The claim over the limit parks the order.
  if (claims > allowed + 1) return `${claims} claims`;
  if (
    'definitionUnknown' in entry &&
    entry.definitionUnknown &&
    entry.type === 'claim' &&
    after.processState !== 'Error'
  ) {
    return 'continued without a known workflow';
  }
  return null;
};

/** R14: the failures of a step are limited by its policy, and complete-by by `completeWithin` and the end of the attempt. */
const deadlinesAreBounded = eachStep(({ was, is }, { after, at }) => {
  const { failures, progress } = is;
  const allowed = attemptsAllowed(callPolicy(is.policy, nextAction(after, is)));
  if (failures > allowed) return `${failures} failures where ${allowed} are allowed`;
  if (!underWay(progress)) return null;
  if (progress.completeBy > progress.endBy) return 'complete-by after the end of the attempt';
  const moved = !underWay(was.progress) || was.progress.completeBy !== progress.completeBy;
  const { completeWithinMs, maxDurationMs } = callPolicy(is.policy, actionOf(progress));
  if (!moved) return null;
  if (is.attempt !== was.attempt && progress.endBy > at + maxDurationMs)
    return 'lasts longer than its policy allows';
  return progress.completeBy > at + completeWithinMs && 'complete-by too far ahead';
});

/** R14: an order waits for the cool-down of its round, and a resubmit resets the failure counts. */
const roundsAreCooledDown = eachStep(({ was, is }, { after, entry, at }) => {
  const { failures } = is;
  const left = failuresInAll(is);
  if (entry.type === 'resubmit') return left !== 0 && `${left} failures after a resubmit`;
  const isNew = entry.type === 'expired' && failures === was.failures + 1;
  if (!isNew || after.processState !== 'Pending' || !underWay(was.progress)) return null;
  const policy = callPolicy(is.policy, actionOf(was.progress));
  if (failures % (policy.retries + 1) !== 0) return null;
  const waitsMs = after.notBefore - at;
  const isCooled = waitsMs >= coolDownOf(policy, failures / (policy.retries + 1)) - 1;
  return is.progress.state !== 'Failed' && !isCooled && 'is tried again without its cool-down';
});

/** To the millisecond: `decide` multiplies in another order. */
function coolDownOf(
  { coolDownMs, coolDownFactor = 1, coolDownMaxMs = limits.coolDownMaxMs }: CallPolicy,
  round: number,
): number {
  return Math.min(coolDownMaxMs, coolDownMs * coolDownFactor ** (round - 1));
}

/** R14: a heartbeat moves complete-by by at least a quarter of a deadline, or to the end of the attempt. */
const heartbeatsMove = eachStep(({ was, is, own }, { entry }) => {
  if (entry.type !== 'heartbeat' || entry.step !== own.name) return null;
  if (!underWay(was.progress) || !underWay(is.progress))
    return 'a heartbeat of a step that is not under way';
  const moved = is.progress.completeBy - was.progress.completeBy;
  const isEnough = moved >= callPolicy(is.policy, actionOf(is.progress)).completeWithinMs / 4;
  return !isEnough && is.progress.completeBy < is.progress.endBy && `moved by ${moved} ms`;
});

/**
 * R16: an order that is live or has a call in flight is in the due index, at most 1 ms after its earliest complete-by; one that waits to be
 * claimed, when its wait or the time to pick it up has ended.
 */
const indexed: WriteRule = ({ after, due }) => {
  const isLive = after.processState === 'Pending' || after.processState === 'Processing';
  const deadlines = after.steps.flatMap(({ progress }) =>
    underWay(progress) ? [progress.completeBy] : [],
  );
  if ((due !== null) !== (isLive || deadlines.length > 0))
    return 'in the due index, and not live, or the reverse';
  if (after.processState === 'Processing' && deadlines.length === 0)
    return 'Processing without a call in flight';
  const claimedBy = Math.max(after.notBefore, after.updatedAt + limits.pickUpGraceMs);
  if (due !== null && after.processState === 'Pending' && due > claimedBy) {
    return 'due too late for one that waits to be claimed';
  }
  return due !== null && deadlines.length > 0 && due > Math.min(...deadlines) + 1 && 'due too late';
};

/** R20: the history names the steps that an outage interrupted; they are overdue, and all others continue. */
const outagesInterrupt = eachStep(({ was, is, own }, { entry, at }) => {
  if (entry.type !== 'interrupted' || entry.reason !== 'outage' || !underWay(was.progress))
    return null;
  const isInterrupted = entry.steps.includes(own.name);
  if (isInterrupted && was.progress.completeBy >= at)
    return 'is interrupted before its complete-by';
  return isInterrupted === underWay(is.progress) && `is ${is.progress.state} after an outage`;
});

/** The rules with their names in docs/design.md. */
export const deadlineRules = [
  ['R11', failuresCountOnce],
  ['R14', bounded],
  ['R14', deadlinesAreBounded],
  ['R14', roundsAreCooledDown],
  ['R14', heartbeatsMove],
  ['R16', indexed],
  ['R20', outagesInterrupt],
] as const;
