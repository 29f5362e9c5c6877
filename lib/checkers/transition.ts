/** A write of a process record as its checkers see it, and the functions that several of them use. */

import type { StepDefinition, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import {
  findStep,
  isUndoneFirst,
  type ProcessRecord,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';

/** A record before and after one write; null before the submission. */
export interface RecordPair {
  readonly before: ProcessRecord | null;
  readonly after: ProcessRecord;
}

/** A write with its decision. */
export interface Transition extends RecordPair {
  readonly before: ProcessRecord;
  readonly definition: WorkflowDefinition;
  /** The instant of the decision, by the clock of the role. */
  readonly at: number;
  /** The agent whose reply was recorded; null for other events, and when only the write is known. */
  readonly agent: AgentName | null;
  /** The key of the order in the due index after the write; null when it has none. */
  readonly due: number | null;
}

/** A step before and after, with its definition. */
export interface StepPair {
  readonly was: StepRecord;
  readonly is: StepRecord;
  readonly own: StepDefinition;
}

/** A transition with its history entry and its steps. */
export interface Examined extends Transition {
  readonly entry: HistoryEntry;
  readonly steps: readonly StepPair[];
}

/** Returns a text about the violation; another value when there is none. */
export type WriteRule = (transition: Examined) => string | null | undefined | false;

/** A rule that applies to each step separately. */
export function eachStep(
  judge: (pair: StepPair, transition: Examined) => ReturnType<WriteRule>,
): WriteRule {
  return (transition) => {
    for (const pair of transition.steps) {
      const problem = judge(pair, transition);
      if (problem) return `${pair.own.name}: ${problem}`;
    }
    return null;
  };
}

/** The failures of a step since the last operator event or the begin of the undo of its order, those of all actions. */
export function failuresInAll({ failures, undoFirst }: StepRecord): number {
  if (undoFirst === undefined) return failures;
  return failures + (undoFirst.isDone ? undoFirst.undoFailures : undoFirst.performFailures);
}

/** Whether the step has a new key because it was undone first: then no effect of the old one is left. */
export function isStartedAnew(
  { was, is }: Pick<StepPair, 'was' | 'is'>,
  { before, after, entry }: Pick<Examined, 'before' | 'after' | 'entry'>,
): boolean {
  if (!isUndoneFirst(was) || isUndoneFirst(is)) return false;
  if (entry.type === 'undoSucceeded' && entry.step === is.name) {
    return was.progress.state === 'Undoing' && before.direction === 'forward';
  }
  // An irreversible step stopped the undo of the order, which goes forward again.
  const isBack = before.direction === 'undo' && after.direction === 'forward';
  return isBack && was.progress.state === 'Undone' && after.processState === 'Error';
}

/** Whether the write dispatched the step. */
export const isDispatched = ({ was, is }: StepPair) => is.attempt !== was.attempt;

/** The steps that the write dispatched. */
export const dispatchedIn = ({ before, after }: RecordPair): readonly StepRecord[] =>
  after.steps.filter(
    ({ name, attempt }) => attempt !== (findStep(before ?? { steps: [] }, name)?.attempt ?? 0),
  );

/** Whether the step is Completed or Skipped. */
export const isSettled = (step: StepRecord | undefined) =>
  step?.progress.state === 'Completed' || step?.progress.state === 'Skipped';

/** Whether an operator caused the entry. */
export const isOperatorEntry = ({ type }: HistoryEntry) => type === 'resubmit' || type === 'cancel';

/** The output of the step, even after its undo; undefined when it never succeeded. */
export function outputOf({ progress }: StepRecord): JsonValue | undefined {
  const then = 'before' in progress ? progress.before : progress;
  return then.state === 'Completed' ? then.output : undefined;
}

/** Whether the step has, or may have, an effect that an undo can remove. */
export function mayHaveEffect({ undo }: StepDefinition, step: StepRecord | undefined): boolean {
  if (step === undefined || undo !== 'offered' || step.progress.state === 'Undone') return false;
  return step.progress.state === 'Completed' || step.doubtUntil !== null || underWay(step.progress);
}
