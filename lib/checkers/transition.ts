/** A write of a process record as its checkers see it, and what several of them ask of a step. */

import type { StepDefinition, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import {
  findStep,
  type ProcessRecord,
  type StepPolicy,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';

/** A record before and after one write; null before the submission. */
export interface RecordPair {
  readonly before: ProcessRecord | null;
  readonly after: ProcessRecord;
}

export interface Transition extends RecordPair {
  readonly before: ProcessRecord;
  readonly definition: WorkflowDefinition;
  /** The instant of the decision, by the clock of whoever decided. */
  readonly at: number;
  /** Whose reply was taken; null for other events, and where only the write is seen. */
  readonly agent: AgentName | null;
  /** The order's key in the due index after the write; null when it has none. */
  readonly due: number | null;
}

/** A step before and after, with its definition. */
export interface StepPair {
  readonly was: StepRecord;
  readonly is: StepRecord;
  readonly own: StepDefinition;
}

/** A transition with its history entry and its steps found. */
export interface Examined extends Transition {
  readonly entry: HistoryEntry;
  readonly steps: readonly StepPair[];
}

/** Says in words what is wrong; anything else when nothing is. */
export type WriteRule = (transition: Examined) => string | null | undefined | false;

/** A rule that is judged for each step by itself. */
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

export const isDispatched = ({ was, is }: StepPair) => is.attempt !== was.attempt;

/** The steps that the write dispatched. */
export const dispatchedIn = ({ before, after }: RecordPair): readonly StepRecord[] =>
  after.steps.filter(
    ({ name, attempt }) => attempt !== (findStep(before ?? { steps: [] }, name)?.attempt ?? 0),
  );

export const isSettled = (step: StepRecord | undefined) =>
  step?.progress.state === 'Completed' || step?.progress.state === 'Skipped';

export const isOperatorEntry = ({ type }: HistoryEntry) => type === 'resubmit' || type === 'cancel';

/** What the step gave, whatever became of it since; undefined when it never succeeded. */
export function outputOf({ progress }: StepRecord): JsonValue | undefined {
  const then = 'before' in progress ? progress.before : progress;
  return then.state === 'Completed' ? then.output : undefined;
}

/** Whether the step has an effect that an undo must take back, or may have one. */
export function mayHaveEffect({ undo }: StepDefinition, step: StepRecord | undefined): boolean {
  if (step === undefined || undo !== 'offered' || step.progress.state === 'Undone') return false;
  return step.progress.state === 'Completed' || step.doubtUntil !== null || underWay(step.progress);
}

/** The attempts of one action that a policy allows between two decisions of an operator. */
export const attemptsAllowed = ({ retries, coolDownTimes }: StepPolicy) =>
  (retries + 1) * (coolDownTimes + 1);
