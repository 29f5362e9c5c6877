/** What is to be proven. */

import { errorsText, fieldErrors } from '#core/codec/field-errors.ts';
import { submittedSchema } from '#core/codec/json-schema.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import { checkOptions } from '#core/definition/option-forms.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { ErrorCode } from '#core/model/error-codes.ts';
import { describeError, errorKind, ReeveError } from '#core/model/errors.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { checkAgents } from '#runtime/local/local-channels.ts';
import { proofForm } from '#runtime/local/option-ranges.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';

/** A proof cannot begin, or go on. */
export class ProofError extends ReeveError<ErrorCode<'ProofError'>> {}

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

/** Options of {@link defineProof} and `prove`. */
export interface ProofOptions {
  readonly workflows: readonly WorkflowDefinition[];
  /**
   * The agents of the workflows: with the code that is to be proven, whose services are simulated (`simulatedService`), or by
   * `soundAgent`.
   */
  readonly agents: readonly AgentImplementation[];
  /** The details of the next order: all that varies is drawn. Several orders may have the same. `workflow`: the one that it is for. */
  readonly orders: (draw: Draw, workflow: string) => JsonValue;
  /** How many worlds are simulated. Default 200. */
  readonly seeds?: number;
  /** The seed of the first world. Default 1. */
  readonly firstSeed?: number;
}

/** Options that were checked. */
export interface Proof extends ProofOptions {
  readonly workflows: readonly [WorkflowDefinition, ...WorkflowDefinition[]];
  readonly seeds: number;
  readonly firstSeed: number;
}

/** The details of so many orders are tried before the proof. */
const triedOrders = 20;

/**
 * Checks what is to be proven: `prove` runs it, and so does `reeve prove` where a module exports it.
 *
 * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind or not known; `agent-missing`, `agent-twice`: see
 *   `startLocalReeve`
 * @throws {ProofError} `proof-empty` without a workflow; `orders-invalid` when `orders` is no function, or throws; `details-invalid` when a workflow does not accept what `orders` returns;
 *   `seeds-range` when a number is not a whole one of 1 or more
 */
export function defineProof(options: ProofOptions): Proof {
  checkOptions(proofForm, 'defineProof', options);
  const { agents, orders, seeds = 200, firstSeed = 1 } = options;
  const [first, ...rest] = options.workflows;
  if (first === undefined)
    throw new ProofError(
      'proof-empty',
      'There is no workflow to be proven: state one in `workflows`.',
    );
  if (typeof orders !== 'function')
    throw new ProofError(
      'orders-invalid',
      'The option `orders` must be a function that returns the details of the next order.',
    );
  const workflows = [first, ...rest] as const;
  checkAgents(workflows, agents);
  // The last seed is a number as well.
  for (const number of [seeds, firstSeed, firstSeed + seeds]) {
    if (!Number.isSafeInteger(number) || number < 1)
      throw new ProofError(
        'seeds-range',
        `Seeds are whole numbers of 1 or more, and not ${number}.`,
      );
  }
  const draw = chanceOf(firstSeed);
  for (const workflow of workflows) {
    for (let number = 0; number < triedOrders; number += 1) drawnDetails(orders, draw, workflow);
  }
  return { ...options, workflows, seeds, firstSeed };
}

/**
 * Details that the workflow accepts. Others would be refused in a world, where that would look like a mistake of Reeve.
 *
 * @throws {ProofError} `orders-invalid` when `orders` throws, `details-invalid` when the workflow does not accept what it returns
 * @throws {ReeveError} `details-schema-failed`
 */
export function drawnDetails(
  orders: ProofOptions['orders'],
  draw: Draw,
  workflow: WorkflowDefinition,
): JsonValue {
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

function called(orders: ProofOptions['orders'], draw: Draw, workflow: string): unknown {
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
