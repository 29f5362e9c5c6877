/**
 * What a call is given: the input that the workflow computes from the details of its order, with all corrections, and from the outputs
 * of the steps before it; for an undo also what its step returned.
 */
import type { StepContext, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { corrected } from '#core/model/correction.ts';
import type { IdempotencyKey } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Request } from '#core/model/message.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';
import { isSame } from './same-document.ts';
import { outputOf } from './transition.ts';
import type { Breach } from './violation.ts';

/** The workflow of an order, and its details as they were submitted. */
interface OrderSource {
  readonly definition: WorkflowDefinition;
  readonly details: JsonValue;
}

/** What an agent is given by a request. */
type Given = Pick<Request, 'input' | 'output'>;

/** Null: the inputs of the order are not checked. */
export type SourceOf = (after: ProcessRecord) => OrderSource | null;

/** @param sourceOf from what the inputs of an order are computed */
export function inputChecker(breach: Breach, sourceOf: SourceOf) {
  const inputs = new Map<string, string>();
  const given = new Map<string, Given>();
  const idOf = (key: IdempotencyKey, attempt: number) => `${key} ${attempt}`;
  return {
    /** R8: all requests with one key have the same input. */
    sameInput({ performKey, input }: Request): void {
      const text = JSON.stringify(input);
      const before = inputs.get(performKey) ?? text;
      inputs.set(performKey, before);
      if (before !== text) breach('R8', `${performKey} was requested with ${before}, then ${text}`);
    },
    /** A request was sent. `after`: the record that started its attempt. */
    sent(request: Request, after: ProcessRecord): void {
      const { orderId, step, attempt, idempotencyKey } = request;
      given.set(idOf(idempotencyKey, attempt), request);
      const source = sourceOf(after);
      const problem = source !== null && wrongInput(request, after, source);
      if (problem !== false) breach('R4', `${orderId} ${step} ${attempt}: ${problem}`);
    },
    /** The code of an agent gets what the request says. `output`: null for a perform. */
    receiving(key: IdempotencyKey, attempt: number, { input, output }: Given): void {
      const sent = given.get(idOf(key, attempt));
      if (isSame(sent?.input, input) && isSame(sent?.output, output)) return;
      breach('R4', `attempt ${attempt} of ${key} has another input or output than its request`);
    },
  };
}

/**
 * R4: a text about an input, or an output, that is another one than the order has; false when both are right.
 *
 * @param after the record that started the attempt
 */
function wrongInput(
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
