/** The details of the next order, and what is wrong with them. */
import { errorsText, fieldErrors } from '#core/codec/field-errors.ts';
import { submittedSchema } from '#core/codec/json-schema.ts';
import { isJsonWithin } from '#core/codec/json-size.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import type { SubmittedOrder } from '#core/definition/singleton.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { describeError, errorKind } from '#core/model/errors.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { ProofError } from './proof-error.ts';
import { versionName } from './release.ts';
import { keyOutcome } from './workflow-key.ts';

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

/**
 * Makes the details of the next order.
 *
 * @param workflow the name of the workflow that the order is for
 * @param version of this workflow
 */
export type Orders = (draw: Draw, workflow: string, version: number) => JsonValue;

/**
 * Details that the workflow accepts. Others would be refused in a world, where that would look like a mistake of Reeve.
 *
 * @throws {ProofError} `orders-invalid` when `orders` throws, `details-invalid` when the workflow does not accept what it returns
 * @throws {ReeveError} `details-schema-failed`
 */
export function drawnDetails(orders: Orders, draw: Draw, workflow: WorkflowDefinition): JsonValue {
  const given = called(orders, draw, workflow);
  const name = versionName(workflow);
  const json = submittedSchema.safeParse(given);
  if (!json.success)
    throw invalid(workflow, `returns for workflow ${name} what is no JSON`, textOf(json.error));
  const parsed = submittedDetails(workflow, json.data);
  if (!parsed.success)
    throw invalid(
      workflow,
      `returns ${JSON.stringify(json.data)}, which workflow ${name} does not accept`,
      textOf(parsed.error),
    );
  if (!isJsonWithin(parsed.data, limits.detailsBytesMax))
    throw invalid(
      workflow,
      `returns details that are too large for an order of workflow ${name}`,
      `they have more than ${limits.detailsBytesMax} bytes after its schema was applied`,
    );
  return json.data;
}

/**
 * Checks that the order has a singleton key, or none.
 *
 * @throws {ProofError} `details-invalid` when the function of the workflow throws for it, or returns neither a text nor null
 */
export function checkSingleton(
  workflow: WorkflowDefinition,
  { details, tenant }: SubmittedOrder,
): void {
  const { singleton } = workflow;
  const parsed = singleton && submittedDetails(workflow, details);
  if (singleton === undefined || parsed?.success !== true) return;
  const asked = keyOutcome(() => singleton.key({ details: parsed.data, tenant }));
  if (asked.kind === 'key') return;
  const { does, remedy, error } = asked;
  const order = `the details ${JSON.stringify(details)} and the tenant ${JSON.stringify(tenant)}`;
  throw new ProofError(
    'details-invalid',
    `The \`singleton.key\` of ${versionName(workflow)} ${does}, for ${order}. ${remedy}`,
    { cause: error },
  );
}

function called(orders: Orders, draw: Draw, workflow: WorkflowDefinition): unknown {
  try {
    return orders(draw, workflow.name, workflow.version);
  } catch (cause) {
    const message = `The function \`orders\` throws ${errorKind(cause)} for workflow ${versionName(workflow)}: ${describeError(cause)}. Correct it.`;
    throw new ProofError('orders-invalid', message, { cause });
  }
}

const textOf = (error: Parameters<typeof fieldErrors>[0]): string =>
  errorsText(fieldErrors(error, { path: ['details'], whole: 'details' }));

const invalid = (workflow: WorkflowDefinition, what: string, why: string): ProofError =>
  new ProofError(
    'details-invalid',
    `The function \`orders\` ${what}: ${why}. Correct it: it was called as orders(draw, '${workflow.name}', ${workflow.version}).`,
  );
