/** Every agent and pool as operators see it: as it is defined, as they changed it, and what it does now. */
import {
  type AgentSettings,
  type Changed,
  isDrained,
  weightNow,
} from '#core/definition/agent-settings.ts';
import { agentsOf, type WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AgentName } from '#core/model/ids.ts';

/** What an agent does now; null: not known here. */
export interface AgentReport {
  /** `since`: when it opened, ms since the epoch; null while it is closed. */
  readonly circuit: {
    readonly state: 'closed' | 'open' | 'half-open' | 'recovering';
    readonly since: number | null;
  };
  readonly inFlight: number | null;
  /** The calls that it can begin now. */
  readonly room: number | null;
  /** The steps that wait for it alone. */
  readonly waiting: number | null;
}

/**
 * `draining`: it gets no new calls, and may have some in flight; `drained`: it has none. `circuit-open`: its service is
 * unavailable. `recovering`: it is available again, and the rate of calls increases.
 */
export const agentStates = [
  'healthy',
  'circuit-open',
  'recovering',
  'draining',
  'drained',
] as const;
/** What an agent is doing, in a word. */
export type AgentState = (typeof agentStates)[number];

/** An agent. */
export interface AgentNow extends AgentReport {
  readonly name: AgentName;
  readonly state: AgentState;
  /** Who drained it; null: it is not drained. */
  readonly drained: Changed | null;
  /** What it is in its pool; null: it has none. */
  readonly member: MemberNow | null;
}

/** A member of a pool. */
export interface MemberNow {
  readonly pool: AgentName;
  readonly domain: string;
  /** Its share of the calls that may go to any member, while it is not drained. */
  readonly weight: number;
  /** Who changed the weight; null: it is that of the definition. */
  readonly changed: Changed | null;
}

/** A pool. */
export interface PoolNow {
  readonly name: AgentName;
  readonly members: readonly AgentName[];
  /** Whether no member takes new calls. */
  readonly isHeldBack: boolean;
  /** The steps that wait for any member. */
  readonly waiting: number | null;
}

/** See {@link agentsNow}. */
export interface AgentsNow {
  readonly agents: readonly AgentNow[];
  readonly pools: readonly PoolNow[];
}

/** What the definitions say of agents and pools; of several versions the latest. */
export function definedAgents(definitions: readonly WorkflowDefinition[]) {
  const agents = new Map<AgentName, Omit<MemberNow, 'changed'> | null>();
  const pools = new Map<AgentName, readonly AgentName[]>();
  const steps = definitions
    .toSorted((a, b) => a.version - b.version)
    .flatMap((definition) => definition.steps);
  for (const step of steps) {
    const { agent, pool } = step;
    if (pool === undefined) {
      agents.set(agent, agents.get(agent) ?? null);
      continue;
    }
    pools.set(agent, agentsOf(step));
    for (const { agent: member, domain, weight } of pool) {
      agents.set(member, { pool: agent, domain, weight });
    }
  }
  return { agents, pools };
}

/**
 * @param reportOf of an agent
 * @param waitingFor the steps that wait for any member of the pool
 */
export function agentsNow(
  { agents, pools }: ReturnType<typeof definedAgents>,
  settings: AgentSettings,
  reportOf: (agent: AgentName) => AgentReport,
  waitingFor: (pool: AgentName) => number | null,
): AgentsNow {
  const takes = (agent: AgentName) =>
    weightNow({ agent, weight: agents.get(agent)?.weight ?? 0 }, settings) > 0;
  return {
    agents: [...agents].map(([name, defined]) => {
      const report = reportOf(name);
      const { drained = null, weight } = settings.get(name) ?? {};
      const member = defined && {
        ...defined,
        weight: weight?.value ?? defined.weight,
        changed: weight === undefined ? null : { by: weight.by, at: weight.at },
      };
      const state = stateOf(report, isDrained(settings, name));
      return { name, state, drained, member, ...report };
    }),
    pools: [...pools].map(([name, members]) => ({
      name,
      members,
      isHeldBack: !members.some(takes),
      waiting: waitingFor(name),
    })),
  };
}

function stateOf({ circuit, inFlight }: AgentReport, isOut: boolean): AgentState {
  if (isOut) return inFlight === 0 ? 'drained' : 'draining';
  switch (circuit.state) {
    case 'closed':
      return 'healthy';
    case 'open':
    case 'half-open':
      return 'circuit-open';
    case 'recovering':
      return 'recovering';
  }
}
