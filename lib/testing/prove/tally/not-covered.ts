/** What no world of a proof came to, in sentences: nothing is proven of it. */
import { agentsOf, type WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { versionName } from '../orders/release.ts';
import type { Proof } from '../proof.ts';
import type { Tally } from './tally.ts';

/**
 * @param tally of all worlds
 * @param faults how many kinds of faults happened in them
 */
export function notCovered(proof: Proof, tally: Tally, faults: number): readonly string[] {
  const { workflows, agents } = proof;
  const steps = workflows.flatMap((workflow) => workflow.steps);
  const used = new Set(steps.flatMap(agentsOf));
  // Reeve calls no undo of an irreversible step.
  const undone = new Set(steps.filter(({ policy }) => !policy.irreversible).flatMap(agentsOf));
  return [
    ...(faults === 0 ? ['No fault happened: simulate more worlds (`seeds`).'] : []),
    ...workflows.flatMap((workflow) => ofWorkflow(workflow, tally)),
    ...agents
      .filter(({ contract }) => used.has(contract.name))
      .flatMap((agent) => ofAgent(agent, undone.has(agent.contract.name), tally)),
  ];
}

function ofWorkflow(workflow: WorkflowDefinition, tally: Tally): readonly string[] {
  const name = versionName(workflow);
  const none: string[] = [];
  if (tally.count('Undone', name) === 0)
    none.push(`No order of ${name} was Undone: nothing is known of its undos.`);
  if (workflow.singleton !== undefined && tally.count('met', name) === 0)
    none.push(
      `No order of ${name} met another one with its singleton key: let \`orders\` draw from few keys.`,
    );
  for (const { name: step } of workflow.steps) {
    if (tally.count('completed', `${name}/${step}`) === 0)
      none.push(
        `Step ${step} of ${name} was never Completed: let \`orders\` draw details with which it is performed.`,
      );
  }
  return none;
}

/** @param mayBeUndone whether it has a step that is not irreversible */
function ofAgent(
  { contract }: AgentImplementation,
  mayBeUndone: boolean,
  tally: Tally,
): readonly string[] {
  const { name, undo } = contract;
  if (tally.count('perform', name) === 0) return [`The agent ${name} was never called.`];
  if (undo === 'unneeded') return [];
  const none: string[] = [];
  const effects = tally.count('effect', name);
  if (effects === 0)
    none.push(
      `The agent ${name} never had an effect, so that none could be left, doubled or lost: let it call a simulatedService whose model calls \`effects.add\`, or define it with \`undo: 'unneeded'\`.`,
    );
  if (undo !== 'offered' || !mayBeUndone) return none;
  if (tally.count('undo', name) === 0) none.push(`The undo of the agent ${name} was never called.`);
  else if (effects > 0 && tally.count('taken-back', name) === 0)
    none.push(`The undo of the agent ${name} never took an effect back.`);
  return none;
}
