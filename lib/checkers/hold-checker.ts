/** What must hold of steps that wait for their agents, in every write (R23). */
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/policy.ts';
import { type Held, nextAction, type StepProgress, underWay } from '#core/model/record.ts';
import { eachStep, failuresInAll, isDispatched, type WriteRule } from './transition.ts';

/** R23: a hold counts no failure, attempt or claim, and lasts no longer than the policy of its step allows. */
const holdsCountNothing = eachStep((pair, { before, after, entry, at }) => {
  const { was, is } = pair;
  const { progress, policy } = is;
  if (progress.state !== 'Held') return null;
  if (isDispatched(pair)) return 'is held, and was dispatched';
  if (failuresInAll(is) > failuresInAll(was)) return 'is held, which counted as a failure';
  // A reply, and a repaired clock, may clear a doubt in the same write.
  const mayClear = underWay(was.progress) || entry.type === 'expired';
  if (!mayClear && (is.keyGeneration !== was.keyGeneration || is.doubtUntil !== was.doubtUntil)) {
    return 'is held, and its key or its doubt changed';
  }
  // For the turn of its order, and for its agent: two holds, one after the other.
  const earlier =
    was.progress.state === 'Held' &&
    isForTurn(was.progress) === isForTurn(progress) &&
    before.direction === after.direction
      ? was.progress
      : null;
  // An undo that is held after its perform was given back begins a hold of its own.
  const continues =
    entry.type === 'deferred' &&
    entry.step === is.name &&
    (was.progress.state === 'Running') === (nextAction(after, is) === 'perform');
  const heldSince = continues ? heldSinceOf(was.progress) : undefined;
  const since =
    earlier === null ? Math.min(at, heldSince ?? at) : earlier.since + away(earlier, at);
  if (progress.since > since) return 'is held, and the hold began anew';
  const moved = earlier?.until !== progress.until;
  const endsAt = progress.since + longestOf(policy, progress);
  return moved && (at >= endsAt || progress.until > endsAt) && 'is held for too long';
});

const isForTurn = ({ gate }: Pick<Held, 'gate'>) => gate === 'turn';

/** How long a hold may last, ms: the policy of its step bounds the wait for its agent. */
const longestOf = ({ holdMaxMs = limits.holdMaxMs }: StepPolicy, held: Pick<Held, 'gate'>) =>
  isForTurn(held) ? limits.turnMaxMs : holdMaxMs;

/** How late a gate was asked again, where that is so late that Reeve must have been stopped. */
function away({ until }: Held, at: number): number {
  return at - until > limits.holdLateMaxMs ? at - until : 0;
}

const heldSinceOf = (progress: StepProgress) =>
  underWay(progress) ? progress.heldSince : undefined;

/** R23: an attempt that its agent gives back counts no failure before the end of the hold, and clears no doubt. */
const deferralCountsNothing = eachStep(({ was, is, own }, { before, after, entry, at }) => {
  if (entry.type !== 'deferred' || entry.step !== own.name) return null;
  if (was.progress.state === 'Running' && is.doubtUntil === null) return 'lost its doubt';
  const since = heldSinceOf(was.progress) ?? at;
  if (at >= since + (was.policy.holdMaxMs ?? limits.holdMaxMs)) return null;
  const isCounted =
    failuresInAll(is) > failuresInAll(was) || after.failureCount > before.failureCount;
  return isCounted && 'was given back by its agent, which counted as a failure';
});

/** R23: an order whose ready steps are all held is not claimed. */
const heldIsNoClaim: WriteRule = ({ before, after, entry, steps }) => {
  if (entry.type !== 'held') return null;
  if (before.processState !== 'Pending' || after.processState !== 'Pending') return 'was claimed';
  if (after.failureCount !== before.failureCount) return 'counted a failure';
  return steps.some(isDispatched) && 'is held, and a step was dispatched';
};

/** R23: a claim that found every ready step held is not counted as one. */
const waitingIsNoClaim: WriteRule = ({ after, entry, steps }) => {
  if (entry.type !== 'claim' || after.processState !== 'Pending') return null;
  if (entry.holds === undefined && entry.begun === undefined) return null;
  const untils = after.steps.flatMap(({ progress }) =>
    progress.state === 'Held' ? [progress.until] : [],
  );
  // The end of a hold fails a round, whose cool-down may end when the holds of other steps do.
  const hasEndedHold = steps.some(
    ({ was, is }) => was.progress.state === 'Held' && is.progress.state === 'NotStarted',
  );
  const waits = !hasEndedHold && untils.length > 0 && after.notBefore === Math.min(...untils);
  return waits && !steps.some(isDispatched) && 'only waits, and was counted as a claim';
};

/** R23: a round without an attempt fails only when its hold has lasted as long as the policy of the step allows. */
const onlyLongHoldsFail = eachStep(({ was, is }, { entry, at }) => {
  if (failuresInAll(is) <= failuresInAll(was) || entry.type === 'expired') return null;
  const { progress } = was;
  const since =
    progress.state === 'Held' ? progress.since + away(progress, at) : heldSinceOf(progress);
  const longest =
    progress.state === 'Held'
      ? longestOf(was.policy, progress)
      : (was.policy.holdMaxMs ?? limits.holdMaxMs);
  const endsAt = (since ?? at) + longest;
  return at < endsAt && 'failed a round without an attempt, and was not held for so long';
});

/** R23: only steps of live orders are held. */
const stoppedHoldsNothing: WriteRule = ({ after }) =>
  after.processState !== 'Pending' &&
  after.processState !== 'Processing' &&
  after.steps.some(({ progress }) => progress.state === 'Held') &&
  `${after.processState}, and a step is held`;

/** R23: the mark of a record says whether a step is held. */
const marksHolds: WriteRule = ({ after }) => {
  const isHeld = after.steps.some(({ progress }) => progress.state === 'Held');
  return (after.isHeld === true) !== isHeld && `isHeld is ${after.isHeld}`;
};

export const holdRules = [
  ['R23', holdsCountNothing],
  ['R23', deferralCountsNothing],
  ['R23', heldIsNoClaim],
  ['R23', waitingIsNoClaim],
  ['R23', onlyLongHoldsFail],
  ['R23', stoppedHoldsNothing],
  ['R23', marksHolds],
] as const;
