/**
 * The undo direction: undoes every effect, including those in doubt, in reverse order of dependency;
 * independent steps in parallel (R10).
 */

import type { StepDefinition, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { assertThat } from '#core/model/errors.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { StepName } from '#core/model/ids.ts';
import { type OrderFault, type StepRecord, unheld } from '#core/model/record.ts';
import { type Draft, park } from './draft.ts';
import { doubtEndsAt } from './due.ts';
import { holdNoMore, releaseInDoubt } from './hold-step.ts';
import { type OrderContext, startStep } from './start-step.ts';
import { startAnew } from './undo-first.ts';

/** Changes the direction to undo because of `fault`; parks the order instead when a step is irreversible. */
export function beginUndo(draft: Draft, fault: OrderFault): void {
  draft.fault = fault;
  draft.direction = 'undo';
  for (const [at, step] of draft.steps.entries()) {
    draft.steps[at] = { ...step, failures: 0, progress: unheld(step.progress) };
  }
  holdIfIrreversible(draft);
}

/** Whether the step was dispatched and is not known to have had no effect. */
export function inDoubt(step: StepRecord): boolean {
  return step.doubtUntil !== null;
}

/**
 * Parks an order with an irreversible step that happened or may have: it can only go forward, and a
 * resubmit tries the failed step again. A step that is still running may yet fail without an effect.
 */
function holdIfIrreversible(draft: Draft): boolean {
  const irreversible = draft.steps.find(
    (step) =>
      step.policy.irreversible &&
      (step.progress.state === 'Completed' || (inDoubt(step) && step.progress.state !== 'Running')),
  );
  if (irreversible === undefined) return false;
  const cause = draft.fault;
  draft.direction = 'forward';
  // No undo of the order has begun. A step that was undone first meanwhile starts anew when the order goes on.
  for (const [at, step] of draft.steps.entries()) {
    if (step.progress.state === 'Undone') startAnew(draft, at, step);
  }
  park(draft, {
    code: 'irreversible' satisfies FaultCode,
    message: `Cannot undo: step ${irreversible.name} happened, or may have, and is irreversible. The cause: ${cause?.message ?? 'unknown'}`,
    effect: 'possible',
    step: cause?.step ?? null,
    action: cause?.action ?? null,
  });
  return true;
}

/** Starts every ready undo once no perform is running; ends the order when no undo is left. */
export function advanceUndo(draft: Draft, known: OrderContext): void {
  if (draft.steps.some(({ progress }) => progress.state === 'Running')) return;
  if (holdIfIrreversible(draft)) return;

  const { steps, order } = known.definition;
  const blocked = blockedUndos(draft.steps, known.definition);
  let isWorkLeft = false;
  let waitUntil: number | null = null;
  for (const at of order.toReversed()) {
    const definition = steps[at];
    const step = draft.steps[at];
    assertThat(definition !== undefined && step !== undefined, `the order has a step number ${at}`);
    const due = needsUndo(step, definition);
    if (due && !blocked.has(step.name)) {
      const until = doubtEndsAt(step, draft.nowMs);
      if (until !== null) {
        waitUntil = Math.min(waitUntil ?? until, until);
        // It may be held although its doubt has not ended: a clock went back since.
        holdNoMore(draft, at, step);
      } else if (!startStep(draft, known, at, 'undo')) {
        return;
      }
    }
    isWorkLeft ||= due || step.progress.state === 'Undoing';
  }
  if (!isWorkLeft) draft.lockState = { processState: 'Undone' };
  else if (
    waitUntil !== null &&
    !draft.steps.some(({ progress }) => progress.state === 'Undoing')
  ) {
    releaseInDoubt(draft, waitUntil);
  }
}

/** The steps of an order in undo that are not undone yet, because steps that depend on them are to be undone before. */
export function blockedUndos(
  records: readonly StepRecord[],
  { steps, order }: Pick<WorkflowDefinition, 'steps' | 'order'>,
): ReadonlySet<StepName> {
  const blocked = new Set<StepName>();
  for (const at of order.toReversed()) {
    const definition = steps[at];
    const step = records[at];
    if (definition === undefined || step === undefined) continue;
    const isUnsettled = step.progress.state === 'Undoing' || needsUndo(step, definition);
    if (!isUnsettled && !blocked.has(step.name)) continue;
    for (const name of definition.after) blocked.add(name);
  }
  return blocked;
}

/** Whether the step has, or may have, an effect that is to be undone, and its undo has not begun. */
export function needsUndo(step: StepRecord, { undo }: Pick<StepDefinition, 'undo'>): boolean {
  if (undo !== 'offered') return false;
  switch (unheld(step.progress).state) {
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
