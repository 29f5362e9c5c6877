/** Validates outputs of agents, which are stored in the record and sent to later steps. */

import { faultyFields, fieldFaults } from '#core/codec/field-errors.ts';
import { jsonSchema } from '#core/codec/json-schema.ts';
import { isJsonWithin, isPlainJsonWithin, isTextWithin } from '#core/codec/json-size.ts';
import { errorKind } from '#core/model/errors.ts';
import { cutFault, type Fault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { StepDefinition } from './workflow-definition.ts';

type Checked = { readonly output: JsonValue } | { readonly fault: Fault };

/** The output to store, or the fault of the step. `definition`: undefined when the workflow is unknown. */
export function checkedOutput(output: JsonValue, definition: StepDefinition | undefined): Checked {
  const unsent = outputFault(output);
  if (unsent !== null) return { fault: unsent };
  try {
    const parsed = (definition?.output ?? jsonSchema).safeParse(output);
    if (!parsed.success) {
      return {
        fault: invalid(`does not match its schema at ${faultyFields(parsed.error, whole)}`),
      };
    }
    // The schema may have added data.
    const bytesMax = definition?.outputBytesMax ?? limits.outputBytesMax;
    return isJsonWithin(parsed.data, bytesMax)
      ? { output: parsed.data }
      : { fault: tooLarge(bytesMax) };
  } catch (error) {
    // A schema may have code of its author. The message of its error may quote the output.
    return { fault: invalid(`cannot be checked: its schema threw ${errorKind(error)}`) };
  }
}

/**
 * The fault of an output that no reply can carry, because it is no JSON or too large; null for all others, which the Scheduler
 * validates by their schema. It throws for no value, also where no type has checked the code of the agent.
 */
export function outputFault(output: unknown): Fault | null {
  const { outputBytesMax } = limits;
  try {
    // Hardly any output needs its text for this.
    if (isPlainJsonWithin(output, outputBytesMax)) return null;
    const { error, data } = jsonSchema.safeParse(output);
    if (error !== undefined) return invalid(`is not JSON: ${fieldFaults(error, whole)}`);
    return isTextWithin(JSON.stringify(data), outputBytesMax) ? null : tooLarge(outputBytesMax);
  } catch (error) {
    return invalid(`cannot be read: it threw ${errorKind(error)}`);
  }
}

const whole = 'the whole output';

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
