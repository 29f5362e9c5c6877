/** Validates corrections of the details: they must not change the input of a step that happened, may have happened, is in flight or was skipped. */

import { type FieldError, fieldErrors, limitedErrors } from '#core/codec/field-errors.ts';
import { isJsonWithin, textBytes } from '#core/codec/json-size.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import type { StepContext, StepDefinition } from '#core/definition/workflow-definition.ts';
import { type Correction, corrected, fieldOf } from '#core/model/correction.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { type StepRecord, unheld } from '#core/model/record.ts';
import type { Draft } from '../draft.ts';
import type { OrderContext } from '../start-step.ts';
import { correctedDetails, correctionsOf, stepContext, withCorrections } from '../step-context.ts';
import { inDoubt } from '../undo.ts';

/** `fit`: the corrections to store. */
export type CorrectionCheck =
  | { readonly kind: 'fit'; readonly corrections: readonly Correction[] }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] };

/**
 * Checks that each correction names an existing place, that the details still fit the schema of the
 * workflow, and that the input of no step with a possible effect changes. Returns the values as the schema
 * transforms them, for example trimmed.
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
  const current = correctedDetails(known.details, history);
  let details = current;
  for (const correction of corrections) {
    const next = corrected(details, correction);
    if (next === undefined) return refused(correction.field, 'is not a field of the details');
    details = next;
  }
  const parsed = submittedDetails(known.definition, details);
  if (!parsed.success)
    return { kind: 'refused', errors: fieldErrors(parsed.error, { whole: 'details' }) };
  const asStored: Correction[] = [];
  for (const { field } of corrections) {
    const value = fieldOf(parsed.data, field);
    if (value === undefined) return refused(field, leftOut);
    asStored.push({ field, value });
  }
  // What the steps are given: other fields that the schema changes stay as they are.
  const next = withCorrections(current, asStored);
  if (!isJsonWithin(next, limits.detailsBytesMax)) {
    return refused('set', `makes the details larger than ${limits.detailsBytesMax} bytes`);
  }
  const touched = limitedErrors(stepsTouched(draft, known, next), 'set');
  return touched.length > 0
    ? { kind: 'refused', errors: touched }
    : { kind: 'fit', corrections: asStored };
}

/** Some schemas leave a field out instead of refusing it, or turn a value into none. A correction cannot remove a field. */
const leftOut =
  'is left out by the schema of the details: it is not a field of them, or this value stands for none';

function refused(field: string, message: string): CorrectionCheck {
  return { kind: 'refused', errors: [{ field, message }] };
}

/** The steps whose input or condition changes. Services replay the first answer for a key (R8). */
function stepsTouched(
  { base, steps }: Draft,
  { definition, details: submitted }: OrderContext,
  details: JsonValue,
): readonly (() => FieldError)[] {
  return definition.steps.flatMap((step, at) => {
    const record = steps[at];
    if (record === undefined || !isBound(record)) return [];
    const before = stepContext(base, submitted, step);
    const after = { ...before, details };
    if (evaluated(step, record, before) === evaluated(step, record, after)) return [];
    const { state } = record.progress;
    const how =
      state === 'NotStarted' || state === 'Failed' ? 'may have had an effect' : `is ${state}`;
    const message = `${how} with the previous values: correct only fields that are used by no step that has happened, may have happened, is in flight or was skipped`;
    return [() => ({ field: `step ${step.name}`, message })];
  });
}

/** Whether the step was skipped, or dispatched under its current key. */
function isBound(step: StepRecord): boolean {
  const progress = unheld(step.progress);
  switch (progress.state) {
    case 'NotStarted':
      return inDoubt(step);
    case 'Failed':
      return inDoubt(step) || progress.fault.effect !== 'none';
    case 'Running':
    case 'Completed':
    case 'Skipped':
    case 'Undoing':
    case 'Undone':
      return true;
  }
}

/** What the code of the step returns, as text. A Skipped step has no input, and every other one that was started keeps its condition. */
function evaluated(
  { when, input }: StepDefinition,
  { progress }: StepRecord,
  context: StepContext,
): string {
  const holds = returned(() => when === null || when(context));
  return progress.state === 'Skipped' ? holds : `${holds} ${returned(() => input(context))}`;
}

/** A failure differs from every text that the code returned before. */
function returned(work: () => JsonValue): string {
  try {
    return canonicalJson(work());
  } catch {
    return 'the code failed';
  }
}
