/** Rules for steps that are undone before they are performed again (`failover: 'undo-first'`), in every write. */
import { isUndoneFirst, type StepRecord, unheld } from '#core/model/record.ts';
import { domainOf } from './domain-checker.ts';
import { eachStep, failuresInAll, isStartedAnew } from './transition.ts';

/** R25: an undo comes first only where the pool says so: when a round has ended in doubt, and another domain may have the step. */
const beginsAfterRound = eachStep(({ was, is, own }, { after, at }) => {
  if (isUndoneFirst(was) || !isUndoneFirst(is)) return null;
  const { policy, failures, doubtUntil, undoFirst } = was;
  if (own.failover !== 'undo-first' || policy.irreversible)
    return 'is undone first, and may not be';
  if (after.direction !== 'forward') return 'is undone first in the undo direction';
  if (unheld(was.progress).state !== 'NotStarted') return `was ${was.progress.state}`;
  if (doubtUntil === null || doubtUntil >= at)
    return 'is undone first without a doubt that is over';
  if (failures === 0 || failures % (policy.retries + 1) !== 0) return 'is undone within a round';
  if (failures <= (undoFirst?.performFailures ?? 0)) return 'is undone twice after one round';
  const domain = domainOf(own.pool ?? [], was.agent);
  const isOtherThere = own.pool?.some((one) => one.weight > 0 && one.domain !== domain);
  return isOtherThere !== true && 'is undone first, and no other domain may have it';
});

/** R25: once its undo has begun, a step is performed again only when that has succeeded, and then under a new key. */
const endsWithUndo = eachStep((pair, transition) => {
  const { was, is } = pair;
  if (isUndoneFirst(is) && is.progress.state === 'Running') return 'performed before its undo';
  if (!isUndoneFirst(was) || isUndoneFirst(is)) return null;
  if (!isStartedAnew(pair, transition)) return 'is not undone first any more, and was not undone';
  if (is.keyGeneration !== was.keyGeneration + 1) return 'starts anew under its old key';
  return is.progress.state === 'NotStarted' && is.doubtUntil !== null && 'starts anew in doubt';
});

/** R14: the failures of performs and of undos are kept apart, over all key generations. */
const countsGoOn = eachStep(({ was, is }, { before, after, entry }) => {
  const changes = isUndoneFirst(was) !== isUndoneFirst(is);
  // The undo of the order begins in the same write, such as by the hold of another step whose time is over.
  const isTurned = before.direction === 'forward' && after.direction === 'undo';
  const hasAll = isTurned ? is.failures === 0 : failuresInAll(is) === failuresInAll(was);
  if (changes && !hasAll) return 'forgot failures';
  if (changes) return otherFailures(is) !== was.failures && 'mixed its failures';
  const isReset = entry.type === 'resubmit' || before.direction !== after.direction;
  return !isReset && otherFailures(is) !== otherFailures(was) && 'changed the failures it keeps';
});

/** The failures of the action that the step does not count now. */
function otherFailures({ undoFirst }: StepRecord): number {
  if (undoFirst === undefined) return 0;
  return undoFirst.isDone ? undoFirst.undoFailures : undoFirst.performFailures;
}

/** The rules with their names in docs/design.md. */
export const failoverRules = [
  ['R25', beginsAfterRound],
  ['R25', endsWithUndo],
  ['R14', countsGoOn],
] as const;
