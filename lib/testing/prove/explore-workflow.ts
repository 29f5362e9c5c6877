/** Explores every state that one order of a small workflow can come to, with one attempt for each call. */
import { decide } from '#core/decide/decide.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { CallPolicy, StepPolicy } from '#core/model/policy.ts';
import { type Exploration, explore, oneOrder } from '#explore/explore.ts';
import type { Budgets } from '#explore/small-world.ts';
import type { Sample } from './proof-run.ts';

/** Above, the states of an order are too many. */
const stepsMax = 4;
/** Some seconds. */
const statesMax = 20_000;

/** A refusal of a service and a cancel; with few steps, a crash as well. */
const budgetsFor = (steps: number): Budgets => ({
  ...{ duplicates: 0, losses: 0, resubmits: 0, declines: 1, cancels: 1 },
  crashes: steps <= 2 ? 1 : 0,
});

/**
 * @param sample an order whose details and outputs every state has
 * @returns null when the workflow is too large, or its orders wait for each other or for one of several agents
 */
export async function exploreWorkflow(
  workflow: WorkflowDefinition,
  { details, outputs }: Sample,
): Promise<Exploration | null> {
  const { steps, hasPools, singleton } = workflow;
  if (steps.length > stepsMax || hasPools || singleton !== undefined) return null;
  return explore(
    oneOrder({
      ...{ name: workflow.name, about: 'of a proof', details, outputs, decide },
      workflow: {
        ...workflow,
        steps: steps.map((step) => ({ ...step, policy: once(step.policy) })),
      },
      budgets: budgetsFor(steps.length),
    }),
    statesMax,
  );
}

/** Only the order of instants matters, not their distance. */
const shortest: CallPolicy = {
  ...{ completeWithinMs: 50, maxDurationMs: 50, retries: 0, coolDownMs: 100, coolDownTimes: 0 },
};

const once = ({ onFault, onExhausted, irreversible }: StepPolicy): StepPolicy => ({
  ...shortest,
  ...{ onFault, onExhausted, irreversible, undo: shortest },
});
