/** The arguments of `input` and `when`: the details with all corrections, and the outputs by step. */

import type { StepContext, StepDefinition } from '#core/definition/workflow-definition.ts';
import { type Correction, corrected } from '#core/model/correction.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { JsonValue } from '#core/model/json.ts';
import { findStep, type ProcessRecord, type StepRecord } from '#core/model/record.ts';

/** @param submitted the details as submitted, without corrections */
export function stepContext(
  order: Pick<ProcessRecord, 'orderId' | 'steps' | 'history'>,
  submitted: JsonValue,
  definition: StepDefinition,
): StepContext {
  const { orderId, history } = order;
  const outputs: Record<string, JsonValue | undefined> = {};
  for (const name of definition.after) {
    const progress = findStep(order, name)?.progress;
    if (progress !== undefined) outputs[name] = outputOf(progress);
  }
  return { orderId, details: correctedDetails(submitted, history), outputs };
}

/** The output of the step, even after its undo; undefined when it has not succeeded. */
export function outputOf(progress: StepRecord['progress']): JsonValue | undefined {
  switch (progress.state) {
    case 'Completed':
      return progress.output;
    case 'Held':
    case 'Undoing':
    case 'Undone':
      return outputOf(progress.before);
    case 'NotStarted':
    case 'Running':
    case 'Failed':
    case 'Skipped':
      return undefined;
  }
}

/** All corrections in the history, oldest first. */
export function correctionsOf(history: readonly HistoryEntry[]): readonly Correction[] {
  // Each start of a step comes here, and hardly any order was corrected.
  if (!history.some(({ type }) => type === 'resubmit')) return none;
  return history.flatMap((entry) => (entry.type === 'resubmit' ? entry.corrections : none));
}

const none: readonly Correction[] = [];

/** The details with all corrections in the history applied. */
export function correctedDetails(
  submitted: JsonValue,
  history: readonly HistoryEntry[],
): JsonValue {
  return withCorrections(submitted, correctionsOf(history));
}

/** The details with the stored corrections applied, one after the other. */
export const withCorrections = (
  details: JsonValue,
  corrections: readonly Correction[],
): JsonValue =>
  corrections.reduce((before, correction) => corrected(before, correction) ?? before, details);
