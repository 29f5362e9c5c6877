/** The way forward: start what is ready, skip what is not wanted, end when all is done (R4, R5). */

import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import { assertThat } from '#core/model/errors.ts';
import { findStep, type StepRecord } from '#core/model/record.ts';
import { type Draft, setStep } from './draft.ts';
import { conditionHolds, type OrderContext, startStep } from './start-step.ts';

/** Starts every ready step; in definition order, so that a skipped step frees those after it. */
export function advance(draft: Draft, known: OrderContext): void {
  for (const at of known.definition.order) {
    const definition = known.definition.steps[at];
    assertThat(definition !== undefined, 'the definition knows its own steps');
    if (draft.steps[at]?.progress.state !== 'NotStarted' || !isReady(draft.steps, definition))
      continue;
    const wanted = conditionHolds(draft, known, definition);
    if (wanted === undefined) return;
    if (!wanted) setStep(draft, at, { progress: { state: 'Skipped' } });
    else if (!startStep(draft, known, at, 'perform')) return;
  }
  if (draft.steps.every(({ progress }) => isSettled(progress.state))) {
    draft.lockState = { processState: 'Processed' };
  }
}

/** Whether all steps that it comes after are done, or are not to be done. */
export function isReady(steps: readonly StepRecord[], definition: StepDefinition): boolean {
  return definition.after.every((name) => {
    const before = findStep({ steps }, name);
    return before !== undefined && isSettled(before.progress.state);
  });
}

const isSettled = (state: string) => state === 'Completed' || state === 'Skipped';
