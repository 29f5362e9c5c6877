/** What an agent may hand on: it is kept in the record and sent to later steps, which rely on its type. */

import { faultyFields } from '#core/codec/field-errors.ts';
import { jsonSchema } from '#core/codec/json-schema.ts';
import { isJsonWithin, isTextWithin, jsonBytesAtMost } from '#core/codec/json-size.ts';
import { cutFault, type Fault } from '#core/model/fault.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { StepDefinition } from './workflow-definition.ts';

type Checked = { readonly output: JsonValue } | { readonly fault: Fault };

/** As it is stored, or why it is not. Even of a workflow that is unknown here: it must be readable. */
export function checkedOutput(output: JsonValue, definition: StepDefinition | undefined): Checked {
  const { outputBytesMax } = limits;
  const text = textOf(output);
  if (text === null) return { fault: invalid('is not JSON') };
  if (!isTextWithin(text, outputBytesMax)) return { fault: tooLarge(outputBytesMax) };
  const parsed = (definition?.output ?? jsonSchema).safeParse(output);
  if (!parsed.success) {
    return {
      fault: invalid(
        `does not fit its schema at ${faultyFields(parsed.error, 'the whole output')}`,
      ),
    };
  }
  // As its schema has it, which may have added to it.
  const bytesMax = definition?.outputBytesMax ?? outputBytesMax;
  if (!isJsonWithin(parsed.data, bytesMax)) return { fault: tooLarge(bytesMax) };
  return { output: parsed.data };
}

/** Of an output that no reply can carry; null for all others, which the Scheduler checks. */
export function oversizeFault(output: JsonValue): Fault | null {
  const { outputBytesMax } = limits;
  if (jsonBytesAtMost(output, outputBytesMax) <= outputBytesMax) return null;
  return isTextWithin(textOf(output) ?? '', outputBytesMax) ? null : tooLarge(outputBytesMax);
}

/** Null for what the type excludes and code still hands over: nothing at all, a cycle, a bigint. */
function textOf(output: unknown): string | null {
  try {
    const text: unknown = JSON.stringify(output);
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}

function tooLarge(bytesMax: number): Fault {
  return {
    code: 'output-too-large',
    message: `The agent's output has more than the ${bytesMax} bytes that the step may hand on.`,
    effect: 'possible',
  };
}

function invalid(problem: string): Fault {
  const message = `The agent's output ${problem}.`;
  return cutFault({ code: 'output-invalid', message, effect: 'possible' });
}
