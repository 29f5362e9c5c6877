/** What must hold of every write of a process record, whatever asked for it. */
import { claimsAllowed } from '#core/claim.ts';
import { dueAt } from '#core/due.ts';
import type { HistoryEntry } from '#core/history.ts';
import type { JsonValue } from '#core/json.ts';
import { findStep, type ProcessRecord, type StepRecord, underWay } from '#core/record.ts';
import type { StepDefinition, WorkflowDefinition } from '#core/workflow-definition.ts';
import type { Breach } from './rules.ts';
import { isSame } from './same.ts';

interface Transition {
  readonly before: ProcessRecord;
  readonly after: ProcessRecord;
  readonly entry: HistoryEntry;
  readonly definition: WorkflowDefinition;
  readonly steps: readonly Step[];
}

/** A step before and after, with its definition. */
interface Step {
  readonly was: StepRecord;
  readonly is: StepRecord;
  readonly own: StepDefinition;
}

type Rule = (transition: Transition) => string | null | undefined | false;

/** Judges a write by every rule. */
export function judgeWrite(
  before: ProcessRecord,
  after: ProcessRecord,
  definition: WorkflowDefinition,
  breach: Breach,
): void {
  const entry = after.history.at(-1);
  if (entry === undefined) {
    breach('R15', `${after.orderId} was written without an entry in its history`);
    return;
  }
  const steps = definition.steps.flatMap((own) => {
    const was = findStep(before, own.name);
    const is = findStep(after, own.name);
    return was === undefined || is === undefined ? [] : [{ was, is, own }];
  });
  const transition = { before, after, entry, definition, steps };
  for (const [name, rule] of rules) {
    const problem = rule(transition);
    if (problem)
      breach(name, `${after.orderId} revision ${after.revision}, ${entry.type}: ${problem}`);
  }
}

const isSettled = (step: StepRecord | undefined) =>
  step?.progress.state === 'Completed' || step?.progress.state === 'Skipped';

/** What the step gave, whatever became of it since; undefined when it never succeeded. */
function given({ progress }: StepRecord): JsonValue | undefined {
  const then = 'before' in progress ? progress.before : progress;
  return then.state === 'Completed' ? then.output : undefined;
}

function each(
  judge: (
    was: StepRecord,
    is: StepRecord,
    own: StepDefinition,
    all: Transition,
  ) => ReturnType<Rule>,
): Rule {
  return (transition) => {
    for (const { was, is, own } of transition.steps) {
      const problem = judge(was, is, own, transition);
      if (problem) return `${own.name}: ${problem}`;
    }
    return null;
  };
}

const starts = (was: StepRecord, is: StepRecord) => is.attempt !== was.attempt;

const claims: Rule = ({ before, after, entry }) => {
  if (entry.type !== 'claim') {
    return (
      after.lockedBy !== null && after.lockedBy !== before.lockedBy && 'locked without a claim'
    );
  }
  if (before.processState !== 'Pending') return `claimed while ${before.processState}`;
  if (before.notBefore > entry.at) return 'claimed before its time';
  return after.lockedBy !== null && after.lockedBy !== entry.by && 'locked for somebody else';
};

const ready = each((was, is, own, { after }) => {
  if (!starts(was, is) || is.progress.state !== 'Running') return null;
  if (after.direction !== 'forward') return 'performed in an order that turns back';
  const open = own.after.find((name) => !isSettled(findStep(after, name)));
  return open !== undefined && `started before ${open} was done`;
});

const complete: Rule = ({ after }) => {
  if (after.processState !== 'Processed') return null;
  const open = after.steps.find((step) => !isSettled(step));
  return open !== undefined && `Processed, and ${open.name} is ${open.progress.state}`;
};

const completedOnce = each((was, is) => {
  const output = given(was);
  if (output === undefined) return null;
  return !isSame(given(is), output)
    ? 'lost what it gave'
    : is.progress.state === 'Running' && 'performed again';
});

const fenced: Rule = ({ before, entry }) => {
  if (!('attempt' in entry)) return null;
  const step = findStep(before, entry.step);
  if (step?.attempt !== entry.attempt) return `a reply of attempt ${entry.attempt} counted`;
  if (!underWay(step.progress)) return `a reply counted while ${step.progress.state}`;
  return entry.at > step.progress.completeBy && 'a reply counted after complete-by';
};

const keysAndAttempts = each((was, is, _, { entry }) => {
  if (starts(was, is) && is.attempt !== was.attempt + 1)
    return `attempt ${was.attempt} → ${is.attempt}`;
  const { state } = is.progress;
  const isSent = underWay(is.progress) && state !== was.progress.state;
  if (starts(was, is) !== isSent) return 'dispatched without an attempt of its own';
  if (is.keyGeneration === was.keyGeneration) return null;
  if (entry.type !== 'resubmit') return 'has a new key without a resubmit';
  const excluded = was.progress.state === 'Failed' && was.progress.fault.effect === 'none';
  return (
    (!excluded || was.doubtUntil !== null) &&
    'has a new key, and the old one may have had an effect'
  );
});

const finals: Rule = ({ before, after, entry }) => {
  const { processState } = before;
  if (processState === 'Processed' || processState === 'Undone')
    return `written while ${processState}`;
  if (processState !== 'Error' || after.processState === 'Error') return null;
  return entry.type !== 'resubmit' && entry.type !== 'cancel' && `left Error by ${entry.type}`;
};

/** Has an effect that an undo must take back, or may have one. */
function hasEffect({ undo }: StepDefinition, step: StepRecord | undefined): boolean {
  if (step === undefined || undo !== 'offered' || step.progress.state === 'Undone') return false;
  return step.progress.state === 'Completed' || step.doubtUntil !== null || underWay(step.progress);
}

const undone: Rule = ({ after, definition }) => {
  if (after.processState !== 'Undone') return null;
  const left = definition.steps.find((own) => hasEffect(own, findStep(after, own.name)));
  if (left !== undefined) return `Undone, and ${left.name} is not`;
  const taken = after.steps.find((step) => step.policy.irreversible && given(step) !== undefined);
  return taken !== undefined && `Undone, and ${taken.name} cannot be`;
};

const undoInOrder = each((was, is, own, { after, entry, definition }) => {
  if (!starts(was, is) || is.progress.state !== 'Undoing') return null;
  if (after.direction !== 'undo') return 'undone in an order that goes forward';
  if (is.doubtUntil !== null && is.doubtUntil >= entry.at) return 'undone while in doubt';
  const later = definition.steps.find(
    (other) => other.after.includes(own.name) && hasEffect(other, findStep(after, other.name)),
  );
  return later !== undefined && `undone before ${later.name}`;
});

const countedOnce: Rule = (transition) => {
  const { before, after, entry } = transition;
  const counted = after.failureCount - before.failureCount;
  if (entry.type !== 'expired') return counted !== 0 && `${counted} failures counted`;
  const late = transition.steps.filter(
    ({ was, is }) =>
      underWay(was.progress) && was.progress.completeBy < entry.at && !underWay(is.progress),
  );
  if (counted !== late.length) return `${counted} failures of ${late.length} late steps`;
  // An order that turns back, or stops, begins to count anew.
  if (after.processState !== 'Pending' || after.direction !== before.direction) return null;
  const forgotten = late.find(
    ({ was, is }) =>
      was.progress.state === (before.direction === 'forward' ? 'Running' : 'Undoing') &&
      is.failures !== was.failures + 1,
  );
  return forgotten !== undefined && `${forgotten.own.name} has ${forgotten.is.failures} failures`;
};

/** What an outage is forgiven is overdue, and in the history; all else goes on. */
const forgiven = each((was, is, own, { entry }) => {
  if (entry.type !== 'excused' || entry.reason !== 'outage' || !underWay(was.progress)) return null;
  const isOverdue = was.progress.completeBy < entry.at;
  const isForgiven = entry.steps.includes(own.name);
  if (isForgiven && !isOverdue) return 'is forgiven, and had time left';
  return isForgiven === underWay(is.progress) && `is ${is.progress.state} after an outage`;
});

/** A cool-down is waited for, and a person's resubmit begins the count anew. */
const rounds = each((was, is, _, { after, entry }) => {
  const { policy, failures } = is;
  if (entry.type === 'resubmit') return failures !== 0 && `${failures} failures after a resubmit`;
  const isNew = entry.type === 'expired' && failures === was.failures + 1;
  if (!isNew || after.processState !== 'Pending' || failures % (policy.retries + 1) !== 0) {
    return null;
  }
  const waits = after.notBefore >= entry.at + policy.coolDownMs;
  return is.progress.state !== 'Failed' && !waits && 'is tried again without a cool-down';
});

const heartbeats = each((was, is, own, { entry }) => {
  if (entry.type !== 'heartbeat' || entry.step !== own.name) return null;
  if (!underWay(was.progress) || !underWay(is.progress)) return 'a heartbeat of what is not out';
  const moved = is.progress.completeBy - was.progress.completeBy;
  const isEnough = moved >= own.policy.completeWithinMs / 2;
  return !isEnough && is.progress.completeBy < is.progress.endBy && `moved by ${moved} ms`;
});

const bounded: Rule = ({ before, after, entry }) => {
  if (after.revision !== before.revision + 1)
    return `revision ${before.revision} → ${after.revision}`;
  const entries = after.history.filter(({ type }) => type !== 'shortened').length;
  if (entries > after.revision) return 'the history outgrew the revisions';
  const operator = after.history.findLastIndex(
    ({ type }) => type === 'resubmit' || type === 'cancel',
  );
  const since = after.history.slice(operator + 1).filter(({ type }) => type === 'claim').length;
  if (since > claimsAllowed(after) + 1) return `${since} claims`;
  if ('blind' in entry && entry.blind && entry.type === 'claim' && after.processState !== 'Error') {
    return 'went on without knowing its workflow';
  }
  return null;
};

const deadlines = each((was, is, _, { entry }) => {
  const { policy, failures, progress } = is;
  const rounds = (policy.retries + 1) * (policy.coolDownTimes + 1);
  if (failures > rounds) return `${failures} failures where ${rounds} are allowed`;
  if (!underWay(progress)) return null;
  if (progress.completeBy > progress.endBy) return 'complete-by after the end';
  const moved = !underWay(was.progress) || was.progress.completeBy !== progress.completeBy;
  return (
    moved && progress.completeBy > entry.at + policy.completeWithinMs && 'too far a complete-by'
  );
});

const indexed: Rule = ({ after }) => {
  const isLive = after.processState === 'Pending' || after.processState === 'Processing';
  const out = after.steps.flatMap(({ progress }) =>
    underWay(progress) ? [progress.completeBy] : [],
  );
  const due = dueAt(after);
  if ((due !== null) !== (isLive || out.length > 0))
    return 'in the due index, and not live, or the reverse';
  if (after.processState === 'Processing' && out.length === 0)
    return 'Processing, and no call is out';
  return due !== null && out.length > 0 && due > Math.min(...out) + 1 && 'due too late';
};

const rules = [
  ['R3', claims],
  ['R4', ready],
  ['R4', complete],
  ['R5', completedOnce],
  ['R6', fenced],
  ['R8', keysAndAttempts],
  ['R9', finals],
  ['R10', undone],
  ['R10', undoInOrder],
  ['R11', countedOnce],
  ['R14', bounded],
  ['R14', deadlines],
  ['R14', rounds],
  ['R14', heartbeats],
  ['R16', indexed],
  ['R20', forgiven],
] as const satisfies readonly (readonly [Parameters<Breach>[0], Rule])[];
