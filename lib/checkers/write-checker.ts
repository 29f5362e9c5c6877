/** Rules for every write of a process record, for all events. */
import { findStep, underWay } from '#core/model/record.ts';
import { deadlineRules } from './deadline-checker.ts';
import { domainRules } from './domain-checker.ts';
import { failoverRules } from './failover-checker.ts';
import { holdRules } from './hold-checker.ts';
import { orderDeadlineRules } from './order-deadline-checker.ts';
import { priorityRules } from './priority-checker.ts';
import { isSame } from './same-document.ts';
import {
  type Examined,
  eachStep,
  isDispatched,
  isOperatorEntry,
  isSettled,
  isStartedAnew,
  outputOf,
  type StepPair,
  type Transition,
  type WriteRule,
} from './transition.ts';
import { undoRules } from './undo-checker.ts';
import type { RuleName, Violation } from './violation.ts';

/** All violations by the write. */
export function checkWrite(transition: Transition): readonly Violation[] {
  const { before, after, definition } = transition;
  const where = `${after.orderId} revision ${after.revision}`;
  const entry = after.history.at(-1);
  if (entry === undefined) return [{ rule: 'R15', message: `${where} has no history` }];
  const steps: StepPair[] = [];
  for (const own of definition.steps) {
    const was = findStep(before, own.name);
    const is = findStep(after, own.name);
    if (was !== undefined && is !== undefined) steps.push({ was, is, own });
  }
  const examined: Examined = { ...transition, entry, steps };
  const violations: Violation[] = [];
  for (const [rule, isBroken] of rules) {
    const problem = isBroken(examined);
    if (problem) violations.push({ rule, message: `${where}, ${entry.type}: ${problem}` });
  }
  return violations;
}

/** R3: an order is claimed only while it is Pending, not before `notBefore`, and locked only by its claimant. */
const claimedOnce: WriteRule = ({ before, after, entry, at }) => {
  if (entry.type !== 'claim' && entry.type !== 'held') {
    return (
      after.lockedBy !== null && after.lockedBy !== before.lockedBy && 'locked without a claim'
    );
  }
  if (before.processState !== 'Pending') return `claimed while ${before.processState}`;
  const held = before.steps.flatMap(({ progress }) =>
    progress.state === 'Held' ? [progress.until] : [],
  );
  const waitsForGate = held.length > 0 && Math.min(...held) === before.notBefore;
  if (before.notBefore > at && !waitsForGate) return 'claimed before notBefore';
  return after.lockedBy !== null && after.lockedBy !== entry.by && 'locked for another Scheduler';
};

/** R4: a step is performed only in the forward direction, after all its predecessors are Completed or Skipped. */
const startsWhenReady = eachStep((pair, { after }) => {
  if (!isDispatched(pair) || pair.is.progress.state !== 'Running') return null;
  if (after.direction !== 'forward') return 'performed in the undo direction';
  const open = pair.own.after.find((name) => !isSettled(findStep(after, name)));
  return open !== undefined && `started before ${open} was done`;
});

/** R4: an order is Processed only when every step is Completed or Skipped. */
const processedWhenDone: WriteRule = ({ after }) => {
  if (after.processState !== 'Processed') return null;
  const open = after.steps.find((step) => !isSettled(step));
  return open !== undefined && `Processed, and ${open.name} is ${open.progress.state}`;
};

/** R5: a Completed step keeps its output, and neither it nor a Skipped one is performed again. */
const performedOnce = eachStep(({ was, is }) => {
  if (isSettled(was) && is.progress.state === 'Running') return 'performed again';
  const output = outputOf(was);
  return output !== undefined && !isSame(outputOf(is), output) && 'lost its output';
});

/**
 * R6: a reply counts only from the agent of the step, for the current attempt and while it is under way; a heartbeat only
 * until complete-by.
 */
const repliesAreFenced: WriteRule = ({ before, entry, at, agent }) => {
  if (!('attempt' in entry)) return null;
  const step = findStep(before, entry.step);
  if (step?.attempt !== entry.attempt) return `a reply of attempt ${entry.attempt} counted`;
  if (agent !== null && step.agent !== agent) return `a reply of ${agent} counted`;
  if (!underWay(step.progress)) return `a reply counted while ${step.progress.state}`;
  const isLate = at > step.progress.completeBy && entry.type === 'heartbeat';
  return isLate && 'a heartbeat counted after complete-by';
};

/** R8: every dispatch raises the attempt by one, and nothing else does. */
const attemptsGrow = eachStep((pair) => {
  const { was, is } = pair;
  const isStarted = isDispatched(pair);
  if (isStarted && is.attempt !== was.attempt + 1) return `attempt ${was.attempt} → ${is.attempt}`;
  const isSent = underWay(is.progress) && is.progress.state !== was.progress.state;
  return isStarted !== isSent && 'dispatched without a new attempt';
});

/** R8: a key generation increases by one, by a resubmit after a fault that excludes any effect, or after the undo of the step. */
const keysChangeWithoutEffect = eachStep((pair, transition) => {
  const { was, is } = pair;
  if (is.keyGeneration === was.keyGeneration) return null;
  if (is.keyGeneration !== was.keyGeneration + 1) return `has key ${is.keyGeneration}`;
  if (isStartedAnew(pair, transition)) return null;
  if (transition.entry.type !== 'resubmit') return 'has a new key without a resubmit';
  const excluded = was.progress.state === 'Failed' && was.progress.fault.effect === 'none';
  return (
    (!excluded || was.doubtUntil !== null) &&
    'has a new key, and the old one may have had an effect'
  );
});

/** R9: Processed and Undone are final, and only an operator event leaves Error. */
const endsAreFinal: WriteRule = ({ before: { processState }, after, entry }) => {
  if (processState === 'Processed' || processState === 'Undone')
    return `written while ${processState}`;
  const leaves = processState === 'Error' && after.processState !== 'Error';
  return leaves && !isOperatorEntry(entry) && `left Error by ${entry.type}`;
};

/** R15: a write adds one revision, keeps every step, and has the instant of its decision. */
const recorded: WriteRule = ({ before, after, entry, definition, steps, at }) => {
  if (after.revision !== before.revision + 1)
    return `revision ${before.revision} → ${after.revision}`;
  if (steps.length !== definition.steps.length) return 'a step is missing';
  return (after.updatedAt !== at || entry.at !== at) && `does not have the instant ${at}`;
};

const rules = [
  ['R3', claimedOnce],
  ['R4', startsWhenReady],
  ['R4', processedWhenDone],
  ['R5', performedOnce],
  ['R6', repliesAreFenced],
  ['R8', attemptsGrow],
  ['R8', keysChangeWithoutEffect],
  ['R9', endsAreFinal],
  ...undoRules,
  ...deadlineRules,
  ...orderDeadlineRules,
  ...holdRules,
  ...priorityRules,
  ...domainRules,
  ...failoverRules,
  ['R15', recorded],
] as const satisfies readonly (readonly [RuleName, WriteRule])[];
