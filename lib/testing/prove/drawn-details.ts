/** The details of one order, as the function `orders` of a proof draws them. */
import { errorsText, fieldErrors } from '#core/codec/field-errors.ts';
import { submittedSchema } from '#core/codec/json-schema.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { describeError, errorKind, ReeveError } from '#core/model/errors.ts';
import type { JsonValue } from '#core/model/json.ts';

/** A proof cannot begin, or go on. */
export class ProofError extends ReeveError<
  'proof-empty' | 'details-invalid' | 'orders-invalid' | 'seeds-range'
> {}

/** Draws numbers from the seed of a world: the same seed draws the same. */
export interface Draw {
  /** From 0 to below 1. */
  next(): number;
  /** Whether something of this probability, 0 to 1, happens. */
  hits(probability: number): boolean;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** The function `orders` of a proof. */
export type Orders = (draw: Draw, workflow: string) => JsonValue;

/**
 * Details that the workflow accepts. Others would be refused in a world, which looked like a mistake of Reeve.
 *
 * @throws {ProofError} `orders-invalid` when `orders` throws, `details-invalid` when the workflow does not accept what it returns
 * @throws {ReeveError} `details-schema-failed`
 */
export function drawnDetails(orders: Orders, draw: Draw, workflow: WorkflowDefinition): JsonValue {
  const given = called(orders, draw, workflow.name);
  const json = submittedSchema.safeParse(given);
  if (!json.success)
    throw invalid(`returns for workflow ${workflow.name} what is no JSON`, json.error);
  const parsed = submittedDetails(workflow, json.data);
  if (parsed.success) return json.data;
  throw invalid(
    `returns ${JSON.stringify(json.data)}, which workflow ${workflow.name} does not accept`,
    parsed.error,
  );
}

function called(orders: Orders, draw: Draw, workflow: string): unknown {
  try {
    return orders(draw, workflow);
  } catch (cause) {
    const message = `The function \`orders\` throws ${errorKind(cause)} for workflow ${workflow}: ${describeError(cause)}. Correct it.`;
    throw new ProofError('orders-invalid', message, { cause });
  }
}

function invalid(what: string, error: Parameters<typeof fieldErrors>[0]): ProofError {
  const said = errorsText(fieldErrors(error, { path: ['details'], whole: 'details' }));
  return new ProofError('details-invalid', `The function \`orders\` ${what}: ${said}. Correct it.`);
}
