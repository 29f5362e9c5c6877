/** The fingerprint of a definition: a hash of everything that unfinished orders depend on. */
import { canonicalJson } from '#core/model/json.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/**
 * FNV-1a (64 bits) over the steps, their order, agents and policies. Functions and schemas are excluded,
 * because a bundler can rewrite them without a change of behaviour. The hash protects against mistakes,
 * not against attackers, so it need not be cryptographic.
 */
export function fingerprintOf(
  workflow: Pick<WorkflowDefinition, 'name' | 'version' | 'steps' | 'deadline'>,
): string {
  const text = canonicalJson({
    name: workflow.name,
    version: workflow.version,
    deadline: workflow.deadline && { ...workflow.deadline },
    steps: workflow.steps.map(({ name, agent, undo, after, policy, when }) => ({
      name,
      agent,
      undo,
      after,
      policy: { ...policy, undo: policy.undo && { ...policy.undo } },
      conditional: when !== null,
    })),
  });
  let hash = 0xcbf29ce484222325n;
  for (const character of text) {
    hash ^= BigInt(character.codePointAt(0) ?? 0);
    hash = BigInt.asUintN(64, hash * 0x100000001b3n);
  }
  return hash.toString(36);
}
