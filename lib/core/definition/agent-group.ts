/** What a workflow needs: of each group of agents one that is available, such as a member of a pool. */
import { agentsOf, type WorkflowDefinition } from './workflow-definition.ts';

/** Agents of which each can perform the same steps. */
export type AgentGroup = readonly string[];

/** Whether each group has an agent that is available. */
export const isInService = (
  groups: readonly AgentGroup[],
  isAvailable: (agent: string) => boolean,
): boolean => groups.every((group) => group.some(isAvailable));

/** The groups that the steps of each workflow need, by its name; those of all of its versions. */
export function agentGroups(
  definitions: readonly WorkflowDefinition[],
): ReadonlyMap<string, readonly AgentGroup[]> {
  const groups = new Map<string, readonly AgentGroup[]>();
  for (const { name, steps } of definitions) {
    groups.set(name, [...(groups.get(name) ?? []), ...steps.map(groupOf)]);
  }
  return groups;
}

/** A member without a weight gets only what is bound to its domain. */
function groupOf(step: Parameters<typeof agentsOf>[0]): AgentGroup {
  const { pool } = step;
  if (pool === undefined) return agentsOf(step);
  return pool.flatMap(({ agent, weight }) => (weight > 0 ? [agent] : []));
}
