/** What is to be proven. */

import { checkOptions } from '#core/definition/option-forms.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { checkAgents } from '#runtime/local/local-channels.ts';
import { proofForm } from '#runtime/local/option-checks.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import { checkSingleton, drawnDetails, type Orders } from './orders/drawn-details.ts';
import { ProofError } from './orders/proof-error.ts';

/** Options of {@link defineProof} and `prove`. */
export interface ProofOptions {
  /**
   * Every version that may have orders: a world has those of one version of each workflow, because new orders get the latest version, and
   * those of earlier ones were submitted before an upgrade. The list of the application can be given as it is.
   */
  readonly workflows: readonly WorkflowDefinition[];
  /**
   * The agents of the workflows: with the code that is to be proven, whose services are simulated (`simulatedService`), or by
   * `soundAgent`.
   */
  readonly agents: readonly AgentImplementation[];
  /** The details of the next order: all that varies is drawn. Several orders may have the same. */
  readonly orders: Orders;
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
 * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind or not known; `agent-missing`, `agent-twice`,
 *   `version-twice`: see `startLocalReeve`
 * @throws {ProofError} `proof-empty` without a workflow; `orders-invalid` when `orders` is no function, or throws; `details-invalid` when a workflow does not accept what `orders` returns,
 *   or its `singleton.key` throws for it or returns neither a text nor null;
 *   `seeds-range` when a number is not a whole one of 1 or more
 */
export function defineProof(options: ProofOptions): Proof {
  checkOptions(proofForm, 'defineProof', options);
  const { agents, orders, seeds = 200, firstSeed = 1 } = options;
  const [first, ...rest] = workflowRegistry(options.workflows).all;
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
    for (let number = 0; number < triedOrders; number += 1)
      checkSingleton(workflow, { details: drawnDetails(orders, draw, workflow), tenant: null });
  }
  return { ...options, workflows, seeds, firstSeed };
}
