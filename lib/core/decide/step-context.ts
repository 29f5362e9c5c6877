/** What a step's `input` and `when` are given: the details as they are now, and outputs by step. */

import type { StepContext, StepDefinition } from '#core/definition/workflow-definition.ts';
import { type Correction, corrected } from '#core/model/correction.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { JsonValue } from '#core/model/json.ts';
import { findStep, type ProcessRecord, type StepRecord } from '#core/model/record.ts';

/** @param submitted the details as they were submitted */
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

/** What the step gave, also when it was undone since; undefined when it was not done. */
export function outputOf(progress: StepRecord['progress']): JsonValue | undefined {
  switch (progress.state) {
    case 'Completed':
      return progress.output;
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

export function correctionsOf(history: readonly HistoryEntry[]): readonly Correction[] {
  return history.flatMap((entry) => (entry.type === 'resubmit' ? entry.corrections : []));
}

/** The details as they are after all corrections that the history tells of. */
export function correctedDetails(
  submitted: JsonValue,
  history: readonly HistoryEntry[],
): JsonValue {
  return correctionsOf(history).reduce(
    (details, correction) => corrected(details, correction) ?? details,
    submitted,
  );
}
