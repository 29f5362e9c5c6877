/**
 * Tells which attempts were undos, while a history is walked from its begin: from the entries that turn the order back, and
 * from the policies in the record.
 */
import type { Fault } from '../fault.ts';
import type { HistoryEntry } from '../history.ts';
import type { HoldEntry } from '../hold.ts';
import type { Action, StepName } from '../ids.ts';
import { limits } from '../limits.ts';
import { attemptsAllowed, type Remedy, type StepPolicy } from '../policy.ts';
import {
  isUndoneFirst,
  type ProcessRecord,
  type StepProgress,
  type StepRecord,
} from '../record.ts';

/**
 * How an attempt ended. `interrupted`: by a restart or an outage; `deferred`: its agent gave it back. Neither counts as a
 * failure.
 */
export type AttemptEnd = 'succeeded' | 'failed' | 'timedOut' | 'interrupted' | 'deferred';

/** The end of an attempt, as its entry shows it. */
export interface ShownEnd {
  readonly step: StepName;
  readonly attempt: number;
  readonly end: AttemptEnd;
  /** With which it failed. */
  readonly fault: Fault | null;
  /** When its end was recorded, ms since the epoch. */
  readonly at: number;
  /** The index of its entry in the history. */
  readonly entry: number;
}

/** A step, as far as the walk has come. */
interface Walked {
  readonly policy: StepPolicy;
  /** Those of its performs since the last resubmit, with the rounds that a hold ended. */
  failures: number;
  /** Its undo comes before its next perform. */
  isUndoneFirst: boolean;
  /** A Scheduler may have started a perform of it that has not ended. */
  mayBePerformed: boolean;
  /** Its perform succeeded: what comes after is its undo. */
  isDone: boolean;
  /** It is held, because of its gate or because its agent gave the last attempt back. */
  isHeld: boolean;
  /** Since when it was held before the attempt that is in flight. */
  heldSince: number | null;
}

/** Walks a history: first the ends of attempts in an entry, then the entry itself. */
export interface AttemptWalk {
  /** What the attempt did. */
  ended(end: ShownEnd, type: HistoryEntry['type']): Action;
  passed(at: number): void;
  /** Whether the order is turned back. */
  isUndo(): boolean;
}

/** @param begunBefore the order was turned back before the first entry that was kept */
export function attemptWalk(record: ProcessRecord, begunBefore: boolean): AttemptWalk {
  const { history } = record;
  const steps = new Map(record.steps.map((step) => [step.name, walkedFrom(step, history)]));
  // No undo of the order has begun where it goes forward again, because of an irreversible step.
  const mayTurnBack = record.direction === 'undo';
  let isUndo = begunBefore && mayTurnBack;
  let isStopped = false;

  function apply(remedies: readonly Remedy[]): void {
    if (isStopped || !mayTurnBack) return;
    if (remedies.includes('hold')) isStopped = true;
    else if (remedies.includes('undo')) isUndo = true;
  }

  return {
    isUndo: () => isUndo,
    ended({ step, end, attempt }, type) {
      const walked = steps.get(step);
      if (walked === undefined) return 'perform';
      const action = shownBy(type) ?? (isOfUndo(walked, attempt, isUndo) ? 'undo' : 'perform');
      walked.isDone ||= end === 'succeeded' && action === 'perform';
      walked.isHeld = end === 'deferred';
      walked.mayBePerformed = false;
      if (end !== 'deferred') walked.heldSince = null;
      if (end === 'timedOut' && action === 'perform') walked.failures += 1;
      return action;
    },
    passed(at) {
      const entry = history[at];
      if (entry === undefined) return;
      if (!isUndo) {
        apply(remediesIn(entry, steps));
        if (entry.type === 'cancel') isUndo = mayTurnBack;
        if (isLate(entry)) apply([turnsBackLate(history.slice(at + 1)) ? 'undo' : 'hold']);
      }
      const isParked = 'definitionUnknown' in entry && entry.definitionUnknown;
      if (isParked) isStopped = true;
      if (entry.type === 'resubmit') {
        isStopped = false;
        for (const walked of steps.values()) walked.failures = 0;
      }
      // Where a hold ends, or the definition is unknown, nothing starts.
      const isHoldOver = [...steps].some(([name, walked]) => endsHold(entry, name, walked));
      const begins =
        !isUndo && !isParked && !isHoldOver && (starts(entry.type) || continues(entry.type));
      for (const [name, walked] of steps) follow(walked, name, entry, begins);
    },
  };
}

/** A shortened history may begin after the step succeeded, or while it is undone first: then that ends before it begins again. */
function walkedFrom(step: StepRecord, history: readonly HistoryEntry[]): Walked {
  const { name, policy } = step;
  const change = history.find((entry) => beginsUndo(entry, name) || isUndoOf(entry, name));
  return {
    policy,
    failures: 0,
    isUndoneFirst:
      step.undoFirst !== undefined &&
      (change === undefined ? isUndoneFirst(step) : isUndoOf(change, name)),
    mayBePerformed: wasStartedLast(step, history),
    isDone: hasSucceeded(step.progress) && !history.some((entry) => isSuccessOf(entry, name)),
    isHeld: false,
    heldSince: null,
  };
}

/** Whether the last entry that was dropped may have started its last perform, by the complete-by of that one. */
function wasStartedLast(
  { doubtUntil, policy }: StepRecord,
  history: readonly HistoryEntry[],
): boolean {
  const dropped = history.find(({ type }) => type === 'shortened');
  if (dropped === undefined || doubtUntil === null) return false;
  return doubtUntil - policy.completeWithinMs >= dropped.at;
}

/** Whether its perform has, also where it was undone since. */
const hasSucceeded = (progress: StepProgress): boolean =>
  progress.state === 'Completed' || ('before' in progress && hasSucceeded(progress.before));

const isSuccessOf = (entry: HistoryEntry, name: StepName): boolean =>
  entry.type === 'stepSucceeded' && entry.step === name;

const beginsUndo = (entry: HistoryEntry, name: StepName): boolean =>
  'agents' in entry &&
  entry.agents?.some(({ step, undoFirst }) => step === name && undoFirst) === true;

const isUndoOf = (entry: HistoryEntry, name: StepName): boolean =>
  entry.type === 'undoSucceeded' && entry.step === name;

function shownBy(type: HistoryEntry['type']): Action | null {
  switch (type) {
    case 'stepSucceeded':
    case 'stepFailed':
      return 'perform';
    case 'undoSucceeded':
    case 'undoFailed':
      return 'undo';
    default:
      return null;
  }
}

/** An order that is turned back waits for the performs in flight, and starts none. The first attempt of a step is never an undo. */
const isOfUndo = (walked: Walked, attempt: number, isUndo: boolean): boolean =>
  walked.isDone || walked.isUndoneFirst || (isUndo && attempt > 1 && !walked.mayBePerformed);

/** What the policies of steps ask for because of the entry. */
function remediesIn(entry: HistoryEntry, steps: ReadonlyMap<StepName, Walked>): Remedy[] {
  if (entry.type === 'stepFailed') {
    const walked = steps.get(entry.step);
    return walked === undefined ? [] : [walked.policy.onFault];
  }
  const remedies: Remedy[] = [];
  for (const [name, walked] of steps) {
    const { policy, failures } = walked;
    const isTimeout = entry.type === 'expired' && entry.steps.includes(name);
    const isHoldOver = endsHold(entry, name, walked);
    if (isHoldOver && !walked.isUndoneFirst) {
      const perRound = policy.retries + 1;
      walked.failures = (Math.floor(failures / perRound) + 1) * perRound;
    }
    if ((isTimeout || isHoldOver) && walked.failures >= attemptsAllowed(policy)) {
      remedies.push(policy.onExhausted);
    }
  }
  return remedies;
}

/** Whether the entry ends a hold of the step that has lasted as long as its policy allows. */
function endsHold(entry: HistoryEntry, name: StepName, { policy, heldSince }: Walked): boolean {
  if (entry.type === 'deferred') {
    return entry.step === name && entry.at >= (heldSince ?? entry.at) + holdMax(policy, entry);
  }
  const hold = holdIn(entry, name);
  return hold !== undefined && entry.at >= hold.since + holdMax(policy, hold);
}

const holdMax = (
  { holdMaxMs = limits.holdMaxMs }: StepPolicy,
  { gate }: Pick<HoldEntry, 'gate'>,
) => (gate === 'turn' ? limits.turnMaxMs : holdMaxMs);

const holdIn = (entry: HistoryEntry, name: StepName): HoldEntry | undefined =>
  'holds' in entry ? entry.holds?.find(({ step }) => step === name) : undefined;

const isLate = (entry: HistoryEntry): boolean => entry.type === 'expired' && entry.late === true;

/** An order that is late is turned back, or stops until an operator decides. */
function turnsBackLate(later: readonly HistoryEntry[]): boolean {
  const next = later.find(({ type }) => type === 'resubmit' || type === 'cancel' || starts(type));
  return next === undefined || starts(next.type);
}

/** A reply after which steps that are held may start, and the one that was undone first. */
const continues = (type: HistoryEntry['type']): boolean =>
  type === 'stepSucceeded' || type === 'undoSucceeded';

const starts = (type: HistoryEntry['type']): boolean =>
  type === 'claim' || type === 'resume' || type === 'held';

/** Whether the entry says of a held step that it is held as before. */
const isStillHeld = (entry: HistoryEntry, name: StepName): boolean =>
  'begun' in entry && entry.begun?.includes(name) === false;

/** @param begins whether the entry may have started performs */
function follow(walked: Walked, name: StepName, entry: HistoryEntry, begins: boolean): void {
  if (beginsUndo(entry, name)) walked.isUndoneFirst = true;
  if (isUndoOf(entry, name)) walked.isUndoneFirst = false;
  const hold = holdIn(entry, name);
  if (hold !== undefined) walked.heldSince = hold.gate === 'turn' ? null : hold.since;
  if (entry.type === 'deferred' && entry.step === name) walked.heldSince ??= entry.at;
  if (hold !== undefined) walked.isHeld = true;
  else if (
    !(walked.isHeld && isStillHeld(entry, name)) &&
    begins &&
    !walked.isDone &&
    (starts(entry.type) || walked.isHeld || isUndoOf(entry, name))
  ) {
    walked.mayBePerformed = true;
    walked.isHeld = false;
  }
}
