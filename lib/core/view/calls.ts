/**
 * The calls of an order to its agents and the waits between them, derived from its record. The history is
 * replayed ({@link replay}), so that this module repeats no rule of `decide`.
 */

import type { OrderContext } from '#core/decide/start-step.ts';
import type { AttemptEnd } from '#core/model/attempts/attempt-walk.ts';
import { endedAttempts } from '#core/model/attempts/ended-attempts.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { Action, StepName } from '#core/model/ids.ts';
import { findStep, type ProcessRecord, type StepRecord, underWay } from '#core/model/record.ts';
import { replay } from './replay.ts';

/** One attempt of a step or of its undo. Instants are ms since the epoch. */
export interface Call {
  readonly step: StepName;
  readonly action: Action;
  readonly attempt: number;
  /** When it was dispatched; null when the history does not show it. */
  readonly from: number | null;
  /** When its end was recorded; null while it is under way. */
  readonly to: number | null;
  /** Null while it is under way. */
  readonly end: AttemptEnd | null;
  /** Its reply was recorded while no Scheduler had a lock on the order, and started no step. */
  readonly isLate: boolean;
  /** The code of the fault with which it failed. */
  readonly fault: string | null;
}

/** Why a step waits: for the end of a cool-down, of an interruption, of the doubt before its undo, or for its agent. */
export type WaitKind = 'coolDown' | 'interruption' | 'doubt' | 'hold';

/** A period in which a step waits, until the next claim is allowed. Instants are ms since the epoch. */
export interface Wait {
  readonly step: StepName;
  readonly kind: WaitKind;
  readonly from: number;
  readonly to: number;
}

/** The calls and waits of an order. */
export interface CallLog {
  /** In the order of their dispatch. */
  readonly calls: readonly Call[];
  readonly waits: readonly Wait[];
}

/**
 * @param known null when the definition is unknown. Then, and when the history does not replay (it was shortened, or
 *   another release decided by other rules), the result has only ended calls, without their dispatch times
 */
export function callsOf(record: ProcessRecord, known: OrderContext | null): CallLog {
  const revisions = known === null ? null : revisionsOf(record, known);
  return revisions === null ? { calls: endedCalls(record), waits: [] } : callsIn(revisions);
}

function revisionsOf(record: ProcessRecord, known: OrderContext): readonly ProcessRecord[] | null {
  try {
    return replay(record, known);
  } catch (error) {
    // The order is still valid: the entries of its history are shown instead.
    if (error instanceof ReeveError) return null;
    throw error;
  }
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

function callsIn(revisions: readonly ProcessRecord[]): CallLog {
  const calls: Mutable<Call>[] = [];
  const waits: Mutable<Wait>[] = [];
  const open = new Map<StepName, Mutable<Call>>();
  for (const [at, after] of revisions.entries()) {
    const before = revisions[at - 1];
    const entry = after.history.at(-1);
    if (before === undefined || entry === undefined) continue;
    endWaits(waits, after);
    followHolds(waits, before, after);
    for (const [place, step] of after.steps.entries()) {
      const earlier = before.steps[place];
      if (earlier === undefined) continue;
      const call = open.get(step.name);
      if (call !== undefined && (!underWay(step.progress) || step.attempt !== call.attempt)) {
        end(call, entry, before);
        open.delete(step.name);
      }
      if (underWay(step.progress) && step.attempt !== earlier.attempt) {
        const begun = begunCall(step, after.updatedAt);
        calls.push(begun);
        open.set(step.name, begun);
      }
    }
    waits.push(...newWaits(before, after, entry));
  }
  return { calls, waits: waits.filter(({ from, to }) => to > from) };
}

function begunCall({ name, attempt, progress }: StepRecord, from: number): Mutable<Call> {
  const action = progress.state === 'Undoing' ? 'undo' : 'perform';
  return { step: name, action, attempt, from, to: null, end: null, isLate: false, fault: null };
}

function end(call: Mutable<Call>, entry: HistoryEntry, before: ProcessRecord): void {
  call.to = entry.at;
  switch (entry.type) {
    case 'stepFailed':
    case 'undoFailed':
      call.end = 'failed';
      call.fault = entry.fault.code;
      call.isLate = before.processState !== 'Processing';
      return;
    case 'expired':
      call.end = 'timedOut';
      return;
    case 'interrupted':
    case 'deferred':
      call.end = entry.type;
      return;
    default:
      call.end = 'succeeded';
      call.isLate = before.processState !== 'Processing';
  }
}

/** A hold lasts from the first time that the gate let no call through, until the step is held no more. */
function followHolds(
  waits: Mutable<Wait>[],
  before: ProcessRecord,
  { steps, updatedAt }: ProcessRecord,
): void {
  for (const [place, { name, progress }] of steps.entries()) {
    const wasHeld = before.steps[place]?.progress.state === 'Held';
    const open = wasHeld && waits.findLast(({ step, kind }) => step === name && kind === 'hold');
    if (progress.state === 'Held') {
      if (open) open.to = progress.until;
      else waits.push({ step: name, kind: 'hold', from: updatedAt, to: progress.until });
    } else if (open) open.to = updatedAt;
  }
}

/** Ends waits early when the order no longer waits. */
function endWaits(waits: readonly Mutable<Wait>[], after: ProcessRecord): void {
  for (const wait of waits) {
    if (wait.kind === 'hold') continue;
    const continues = after.processState === 'Pending' && after.notBefore >= wait.to;
    if (wait.to > after.updatedAt && !continues) wait.to = after.updatedAt;
  }
}

function newWaits(before: ProcessRecord, after: ProcessRecord, entry: HistoryEntry): Wait[] {
  const { processState, notBefore: to, updatedAt: from } = after;
  if (processState !== 'Pending' || to <= from || to === before.notBefore) return [];
  const idle = after.steps.filter(
    ({ progress }) => !underWay(progress) && progress.state !== 'Held',
  );
  const wait = (kind: WaitKind, steps: readonly StepRecord[]): Wait[] =>
    steps.map(({ name }) => ({ step: name, kind, from, to }));
  switch (entry.type) {
    case 'expired':
      return wait(
        'coolDown',
        idle.filter(({ name }) => entry.steps.includes(name)),
      );
    case 'interrupted':
      return wait(
        'interruption',
        idle.filter(({ name }) => entry.steps.includes(name)),
      );
    default: {
      // A hold that has lasted as long as its policy allows counts as a failed round.
      const failed = idle.filter((step) => hasMoreFailures(before, step));
      return failed.length > 0
        ? wait('coolDown', failed)
        : wait(
            'doubt',
            idle.filter(({ doubtUntil }) => doubtUntil !== null),
          );
    }
  }
}

function hasMoreFailures(before: ProcessRecord, step: StepRecord): boolean {
  const was = findStep(before, step.name);
  return was !== undefined && failuresInAll(step) > failuresInAll(was);
}

/** Of performs and of undos: a step that is undone first goes from one count to the other. */
function failuresInAll({ failures, undoFirst }: StepRecord): number {
  if (undoFirst === undefined) return failures;
  return failures + (undoFirst.isDone ? undoFirst.undoFailures : undoFirst.performFailures);
}

/** The calls whose end is in the history, without a replay. */
function endedCalls(record: ProcessRecord): Call[] {
  return endedAttempts(record).map(({ step, action, attempt, end, fault, at: to }) => {
    return {
      step,
      action,
      attempt,
      from: null,
      to,
      end,
      isLate: false,
      fault: fault?.code ?? null,
    };
  });
}
