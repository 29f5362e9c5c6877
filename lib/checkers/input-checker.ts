/**
 * What a call is given: the input that the workflow computes from the details of its order, with all corrections, and from the outputs
 * of the steps before it; for an undo also what its step returned.
 */
import type { StepContext, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { corrected } from '#core/model/correction.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Request } from '#core/model/message.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';
import { isSame } from './same-document.ts';
import { outputOf } from './transition.ts';

/** The workflow of an order, and its details as they were submitted. */
export interface OrderSource {
  readonly definition: WorkflowDefinition;
  readonly details: JsonValue;
}

/** What an agent is given by a request. */
export type Given = Pick<Request, 'input' | 'output'>;

/**
 * R4: a text about an input, or an output, that is another one than the order has; false when both are right.
 *
 * @param after the record that started the attempt
 */
export function wrongInput(
  { step, action, input, output }: Pick<Request, 'step' | 'action'> & Given,
  after: ProcessRecord,
  { definition, details }: OrderSource,
): string | false {
  const own = definition.steps.find(({ name }) => name === step);
  const recorded = findStep(after, step);
  if (own === undefined || recorded === undefined) return false;
  const outputs: Record<string, JsonValue | undefined> = {};
  for (const name of own.after) {
    const before = findStep(after, name);
    if (before !== undefined) outputs[name] = outputOf(before);
  }
  const context: StepContext = {
    orderId: after.orderId,
    details: detailsNow(details, after),
    outputs,
  };
  const expected = own.input(context);
  if (!isSame(input, expected)) {
    return `has the input ${JSON.stringify(input)}, not ${JSON.stringify(expected)}`;
  }
  const returned = action === 'undo' ? (outputOf(recorded) ?? null) : null;
  return (
    !isSame(output, returned) &&
    `has the output ${JSON.stringify(output)}, not ${JSON.stringify(returned)}`
  );
}

function detailsNow(submitted: JsonValue, { history }: ProcessRecord): JsonValue {
  let details = submitted;
  for (const entry of history) {
    if (entry.type !== 'resubmit') continue;
    for (const correction of entry.corrections) {
      details = corrected(details, correction) ?? details;
    }
  }
  return details;
}
