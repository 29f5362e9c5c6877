/**
 * The inputs of the steps in the document of an order. They are computed, and each may contain all details: those of the largest order are
 * nine times as large as its record, and more than a function can answer (6 MB, AWS Lambda). So they have a limit together.
 */
import { jsonBytes, jsonBytesAtMost } from '#core/codec/json-size.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import type { Redaction } from '#core/view/redaction.ts';

/**
 * All inputs that are shown, as JSON. In the answer of a function, JSON in JSON, they have at most twice as many bytes; details, outputs and
 * the history have the rest.
 */
export const inputsBytesMax = 1_048_576;

/** Stands for an input that has no room. */
export const leftOut = '[left out]';

/** By the name of the step; null while it is not known. */
export function shownInputs(
  { steps }: ProcessRecord,
  shown: Redaction,
): ReadonlyMap<string, JsonValue> {
  const inputs = new Map(steps.map((step) => [step.name, shown.input(step)]));
  if (areSmall([...inputs.values()])) return inputs;
  let left = inputsBytesMax;
  // Those first that explain why an order does not go on.
  for (const { name } of steps.toSorted((a, b) => rank(a) - rank(b))) {
    const bytes = jsonBytes(inputs.get(name) ?? null);
    if (bytes <= left) left -= bytes;
    else inputs.set(name, leftOut);
  }
  return inputs;
}

/** Nearly always, and known without the texts of all inputs. */
function areSmall(inputs: readonly JsonValue[]): boolean {
  let left = inputsBytesMax;
  for (const input of inputs) left -= jsonBytesAtMost(input, left);
  return left >= 0;
}

function rank({ progress }: StepRecord): number {
  switch (progress.state) {
    case 'Failed':
    case 'Running':
    case 'Undoing':
    case 'Held':
      return 0;
    case 'Completed':
    case 'Undone':
      return 1;
    case 'NotStarted':
    case 'Skipped':
      return 2;
  }
}
