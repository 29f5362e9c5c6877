/** The forward direction: starts and skips ready steps, and ends the order when all are done (R4, R5). */

import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import { assertThat } from '#core/model/errors.ts';
import { findStep, type StepRecord, underWay, unheld } from '#core/model/record.ts';
import { type Draft, setStep } from './draft.ts';
import { doubtEndsAt } from './due.ts';
import { holdNoMore, releaseInDoubt } from './hold-step.ts';
import { conditionHolds, type OrderContext, readyAction, startStep } from './start-step.ts';
import { inDoubt } from './undo.ts';

/** Starts every ready step. In topological order, so that skipping a step makes its successors ready. */
export function advance(draft: Draft, known: OrderContext): void {
  let waitUntil: number | null = null;
  for (const at of known.definition.order) {
    const definition = known.definition.steps[at];
    assertThat(definition !== undefined, 'the order of steps has no index beyond them');
    const step = draft.steps[at];
    if (step === undefined || unheld(step.progress).state !== 'NotStarted') continue;
    if (!isReady(draft.steps, definition)) continue;
    const action = readyAction(draft, known, definition, step);
    if (action === 'undo') {
      const until = doubtEndsAt(step, draft.nowMs);
      if (until !== null) {
        waitUntil = Math.min(waitUntil ?? until, until);
        holdNoMore(draft, at, step);
      } else if (!startStep(draft, known, at, 'undo')) return;
      continue;
    }
    // A step in doubt is performed as it was begun, also where its `when` says otherwise by now: nothing undoes a Skipped step.
    const holds = inDoubt(step) || conditionHolds(draft, known, definition);
    if (holds === undefined) return;
    if (!holds) setStep(draft, at, { progress: { state: 'Skipped' } });
    else if (!startStep(draft, known, at, 'perform')) return;
  }
  // With a call in flight, its end continues the order.
  if (waitUntil !== null && !draft.steps.some(({ progress }) => underWay(progress))) {
    releaseInDoubt(draft, waitUntil);
  }
  if (draft.steps.every(({ progress }) => isSettled(progress.state))) {
    draft.lockState = { processState: 'Processed' };
  }
}

/** Whether all predecessors of the step are Completed or Skipped. */
export function isReady(steps: readonly StepRecord[], definition: StepDefinition): boolean {
  return definition.after.every((name) => {
    const before = findStep({ steps }, name);
    return before !== undefined && isSettled(before.progress.state);
  });
}

const isSettled = (state: string) => state === 'Completed' || state === 'Skipped';
