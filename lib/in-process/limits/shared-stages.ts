/** The stages of all agents of a process: those that agents share with the pool that they belong to count once. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { CallLimits } from '#core/definition/registry.ts';
import { type Lead, lead } from './limit-bucket.ts';
import type { LimitKeysOptions } from './limit-keys.ts';
import { type LimitStages, limitStages } from './limit-stages.ts';

/** See {@link sharedStages}. */
export interface SharedStages {
  /** By the name of an agent, or one under which steps of a pool wait; undefined: it has none. */
  of(name: string): LimitStages | undefined;
  /** How long the requests of the agent are on their way. */
  leadOf(agent: string): Lead;
  /** See {@link LimitStages}. */
  fill(): void;
  /** Lets no step go on any more. */
  close(): void;
}

/** @param limits by the names of agents, and by those under which steps of pools wait */
export function sharedStages(
  limits: ReadonlyMap<string, CallLimits>,
  options: Omit<LimitKeysOptions, 'limits' | 'lead'>,
): SharedStages {
  const made = new Map<readonly AgentLimit[], Stages>();
  const byName = new Map<string, Stages>();
  for (const [name, { shared }] of limits) {
    if (shared.length === 0) continue;
    const own = made.get(shared) ?? stagesOf(shared, options);
    made.set(shared, own);
    byName.set(name, own);
  }
  return {
    of: (name) => byName.get(name)?.stages,
    leadOf: (agent) => byName.get(agent)?.lead ?? lead(),
    fill() {
      for (const { stages } of made.values()) stages.fill();
    },
    close() {
      for (const { stages } of made.values()) stages.close();
    },
  };
}

interface Stages {
  readonly stages: LimitStages;
  readonly lead: Lead;
}

function stagesOf(
  limits: readonly AgentLimit[],
  options: Omit<LimitKeysOptions, 'limits' | 'lead'>,
): Stages {
  const own = lead();
  return { stages: limitStages({ ...options, limits, lead: own }), lead: own };
}
