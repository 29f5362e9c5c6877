/**
 * The way back: every effect is undone, those in doubt included, in reverse order of dependency,
 * independent ones in parallel (R10).
 */

import { assertThat } from '#core/model/errors.ts';
import type { OrderFault, StepRecord } from '#core/model/record.ts';
import { type Draft, park, release } from './draft.ts';
import { type OrderContext, startStep } from './start-step.ts';

/** Turns the order back because of `fault`, unless what was done cannot be undone: then it stops. */
export function beginUndo(draft: Draft, fault: OrderFault): void {
  draft.fault = fault;
  draft.direction = 'undo';
  for (const [at, step] of draft.steps.entries()) draft.steps[at] = { ...step, failures: 0 };
  holdIfIrreversible(draft);
}

/** Dispatched and not known to have had no effect. */
export function inDoubt(step: StepRecord): boolean {
  return step.doubtUntil !== null;
}

/**
 * An irreversible step that happened, or may have, leaves only the way forward: the order stops, and
 * resubmit tries the failed step again. One still running may yet turn out not to have happened.
 */
function holdIfIrreversible(draft: Draft): boolean {
  const taken = draft.steps.find(
    (step) =>
      step.policy.irreversible &&
      (step.progress.state === 'Completed' || (inDoubt(step) && step.progress.state !== 'Running')),
  );
  if (taken === undefined) return false;
  const cause = draft.fault;
  draft.direction = 'forward';
  park(draft, {
    code: 'irreversible',
    message: `Cannot undo: step ${taken.name} happened, or may have, and is irreversible. The cause: ${cause?.message ?? 'unknown'}`,
    effect: 'possible',
    step: cause?.step ?? null,
    action: cause?.action ?? null,
  });
  return true;
}

/** Once nothing runs any more, starts every undo that is ready; ends when nothing is left to undo. */
export function advanceUndo(draft: Draft, known: OrderContext): void {
  if (draft.steps.some(({ progress }) => progress.state === 'Running')) return;
  if (holdIfIrreversible(draft)) return;

  const { steps, order } = known.definition;
  const blocked = new Set<string>();
  let left = false;
  let waitUntil: number | null = null;
  for (const at of order.toReversed()) {
    const definition = steps[at];
    const step = draft.steps[at];
    assertThat(definition !== undefined && step !== undefined, `the order has a step number ${at}`);
    const due = definition.undo === 'offered' && needsUndo(step);
    const free = !blocked.has(step.name);
    if (due && free) {
      if (step.doubtUntil !== null && step.doubtUntil >= draft.nowMs) {
        waitUntil = Math.min(waitUntil ?? Number.POSITIVE_INFINITY, step.doubtUntil + 1);
      } else if (!startStep(draft, known, at, 'undo')) {
        return;
      }
    }
    const unsettled = due || step.progress.state === 'Undoing';
    left ||= unsettled;
    if (unsettled || !free) for (const name of definition.after) blocked.add(name);
  }
  if (!left) draft.lockState = { processState: 'Undone' };
  else if (
    waitUntil !== null &&
    !draft.steps.some(({ progress }) => progress.state === 'Undoing')
  ) {
    release(draft, waitUntil);
  }
}

/** Whether it happened, or may have, and its undo has not begun. */
export function needsUndo(step: StepRecord): boolean {
  switch (step.progress.state) {
    case 'Completed':
      return true;
    case 'NotStarted':
    case 'Failed':
      return inDoubt(step);
    case 'Running':
    case 'Skipped':
    case 'Undoing':
    case 'Undone':
      return false;
  }
}
