/** Validates outputs of agents, which are stored in the record and sent to later steps. */

import { faultyFields } from '#core/codec/field-errors.ts';
import { jsonSchema } from '#core/codec/json-schema.ts';
import {
  isJsonWithin,
  isPlainJsonWithin,
  isTextWithin,
  jsonBytesAtMost,
} from '#core/codec/json-size.ts';
import { cutFault, type Fault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { StepDefinition } from './workflow-definition.ts';

type Checked = { readonly output: JsonValue } | { readonly fault: Fault };

/** The output to store, or the fault of the step. `definition`: undefined when the workflow is unknown. */
export function checkedOutput(output: JsonValue, definition: StepDefinition | undefined): Checked {
  const { outputBytesMax } = limits;
  // Hardly any output needs its text for this.
  if (!isPlainJsonWithin(output, outputBytesMax)) {
    const text = textOf(output);
    if (text === null) return { fault: invalid('is not JSON') };
    if (!isTextWithin(text, outputBytesMax)) return { fault: tooLarge(outputBytesMax) };
  }
  const parsed = (definition?.output ?? jsonSchema).safeParse(output);
  if (!parsed.success) {
    return {
      fault: invalid(
        `does not match its schema at ${faultyFields(parsed.error, 'the whole output')}`,
      ),
    };
  }
  // The schema may have added data.
  const bytesMax = definition?.outputBytesMax ?? outputBytesMax;
  if (!isJsonWithin(parsed.data, bytesMax)) return { fault: tooLarge(bytesMax) };
  return { output: parsed.data };
}

/** The fault of an output that is too large for a reply; null for all others, which the Scheduler validates. */
export function oversizeFault(output: JsonValue): Fault | null {
  const { outputBytesMax } = limits;
  if (jsonBytesAtMost(output, outputBytesMax) <= outputBytesMax) return null;
  return isTextWithin(textOf(output) ?? '', outputBytesMax) ? null : tooLarge(outputBytesMax);
}

/** Null for values that are not JSON despite their type: undefined, a cycle, a bigint. */
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
    code: 'output-too-large' satisfies FaultCode,
    message: `The agent's output has more than the ${bytesMax} bytes that the step may store.`,
    effect: 'possible',
  };
}

function invalid(problem: string): Fault {
  const message = `The agent's output ${problem}.`;
  return cutFault({ code: 'output-invalid' satisfies FaultCode, message, effect: 'possible' });
}
