/** Whether corrections of an order's details can be made: what a started step was given must stay as it was. */

import { type FieldError, fieldErrors } from '#core/codec/field-errors.ts';
import { isJsonWithin, textBytes } from '#core/codec/json-size.ts';
import type { StepContext, StepDefinition } from '#core/definition/workflow-definition.ts';
import { type Correction, corrected, fieldOf } from '#core/model/correction.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { StepRecord } from '#core/model/record.ts';
import type { Draft } from './draft.ts';
import type { OrderContext } from './start-step.ts';
import { correctedDetails, correctionsOf, stepContext } from './step-context.ts';
import { inDoubt } from './undo.ts';

export type CorrectionCheck =
  | { readonly kind: 'fit'; readonly corrections: readonly Correction[] }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] };

/**
 * Whether the corrections can be made: each names a place that is there, the details still fit the
 * workflow, and no step that was done, or may have been, was given anything else. What fits is given back
 * as the workflow's schema has it, trimmed for instance.
 */
export function validatedCorrections(
  draft: Draft,
  known: OrderContext | null,
  corrections: readonly Correction[],
): CorrectionCheck {
  if (known === null)
    return refused('set', 'cannot be applied: the workflow of the order is not known here');
  const { history } = draft.base;
  const all = JSON.stringify([...correctionsOf(history), ...corrections]);
  if (textBytes(all) > limits.correctionsBytesMax) {
    return refused(
      'set',
      `exceeds the limit: all corrections of an order may have ${limits.correctionsBytesMax} bytes`,
    );
  }
  let details = correctedDetails(known.details, history);
  for (const correction of corrections) {
    const next = corrected(details, correction);
    if (next === undefined) return refused(correction.field, 'is not a field of the details');
    details = next;
  }
  const parsed = known.definition.details.safeParse(details);
  if (!parsed.success)
    return { kind: 'refused', errors: fieldErrors(parsed.error, { whole: 'details' }) };
  if (!isJsonWithin(parsed.data, limits.detailsBytesMax)) {
    return refused('set', `makes the details larger than ${limits.detailsBytesMax} bytes`);
  }
  const touched = stepsTouched(draft, known, parsed.data);
  if (touched.length > 0) return { kind: 'refused', errors: touched };
  const asStored = corrections.map(({ field, value }) => ({
    field,
    value: fieldOf(parsed.data, field) ?? value,
  }));
  return { kind: 'fit', corrections: asStored };
}

function refused(field: string, message: string): CorrectionCheck {
  return { kind: 'refused', errors: [{ field, message }] };
}

/** Services replay what a key was first used for: what was asked under it must not change (R8). */
function stepsTouched(
  { base, steps }: Draft,
  { definition, details: submitted }: OrderContext,
  details: JsonValue,
): FieldError[] {
  return definition.steps.flatMap((step, at) => {
    const record = steps[at];
    if (record === undefined || !isBound(record)) return [];
    const before = stepContext(base, submitted, step);
    const same = askedFor(step, record, before) === askedFor(step, record, { ...before, details });
    if (same) return [];
    const { state } = record.progress;
    const how =
      state === 'NotStarted' || state === 'Failed' ? 'may have had an effect' : `is ${state}`;
    const message = `${how} with the previous values: correct only fields that no started step uses`;
    return [{ field: `step ${step.name}`, message }];
  });
}

/** Whether the step was decided or asked for under the key it has. */
function isBound(step: StepRecord): boolean {
  switch (step.progress.state) {
    case 'NotStarted':
      return inDoubt(step);
    case 'Failed':
      return inDoubt(step) || step.progress.fault.effect !== 'none';
    case 'Running':
    case 'Completed':
    case 'Skipped':
    case 'Undoing':
    case 'Undone':
      return true;
  }
}

/** As text; code of the workflow that does not bear the details gives no answer that it gave before. */
function askedFor(step: StepDefinition, { progress }: StepRecord, context: StepContext): string {
  try {
    const wanted = step.when === null || step.when(context);
    return progress.state === 'Skipped' ? String(wanted) : canonicalJson(step.input(context));
  } catch {
    return 'its code failed';
  }
}
