/** What operators see of agents, and what they change of them while orders run: whether they get new calls, and their weights. */
import type { AgentChange, AgentSettings } from '#core/definition/agent-settings.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import { agentsOf } from '#core/definition/workflow-definition.ts';
import type { AgentName } from '#core/model/ids.ts';
import {
  type AgentNow,
  type AgentReport,
  type AgentsNow,
  agentsNow,
  definedAgents,
} from '#core/view/agents-now.ts';
import type { Clock } from '#ports/clock.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';

/** What an operator asks for. `weight`: null for that of the definition. */
export type AgentRequest =
  | { readonly kind: 'drain' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'weight'; readonly weight: number | null };

/** The result of a request. */
export type AgentOutcome =
  | { readonly kind: 'done'; readonly agent: AgentNow }
  | { readonly kind: 'unknown-agent'; readonly known: readonly AgentName[] }
  /** It is no member of a pool, so it has no weight. */
  | { readonly kind: 'no-member' };

/** Each method rejects with the error of the store when it could not be read or written. */
export interface AgentControl {
  list(): Promise<AgentsNow>;
  /** @param by who requests it; stored and logged */
  change(agent: string, request: AgentRequest, by: string): Promise<AgentOutcome>;
}

/** What the agents and the pools do now. */
export interface AgentReports {
  readonly of: (agent: AgentName) => AgentReport;
  /** The steps that wait for any member of the pool; null: not known. */
  readonly waitingFor: (pool: AgentName) => number | null;
}

/** The ports of {@link agentControl}. */
export interface AgentControlPorts {
  readonly registry: Pick<WorkflowRegistry, 'all'>;
  readonly settings: AgentSettingStore;
  /** @param agents all that are asked for */
  readonly reports: (agents: readonly AgentName[]) => AgentReports | Promise<AgentReports>;
  /**
   * Lets steps go on that wait for the agent, under one of these names. Default: their gates learn of the
   * change themselves.
   */
  readonly onMore?: (names: readonly AgentName[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the role. */
export function agentControl(ports: AgentControlPorts): AgentControl {
  const { registry, settings, clock, log } = ports;
  const defined = definedAgents(registry.all);

  async function listed(now: AgentSettings): Promise<AgentsNow> {
    const reports = await ports.reports([...defined.agents.keys()]);
    return agentsNow(defined, now, reports.of, reports.waitingFor);
  }

  return {
    list: async () => listed(await settings.read()),
    async change(name, request, by) {
      const known = [...defined.agents.keys()];
      const agent = known.find((one) => one === name);
      if (agent === undefined) return { kind: 'unknown-agent', known };
      const member = defined.agents.get(agent) ?? null;
      if (request.kind === 'weight' && member === null) return { kind: 'no-member' };
      await settings.store(agent, changeOf(request, { by, at: clock.now() }));
      const weight = request.kind === 'weight' ? { weight: request.weight } : {};
      log.info('agent-changed', { agent, change: request.kind, ...weight, by });
      if (request.kind !== 'drain') await ports.onMore?.(namesOf(registry, agent));
      const { agents } = await listed(await settings.read());
      const now = agents.find((one) => one.name === agent);
      return now === undefined ? { kind: 'unknown-agent', known } : { kind: 'done', agent: now };
    },
  };
}

function changeOf(request: AgentRequest, changed: { by: string; at: number }): AgentChange {
  switch (request.kind) {
    case 'drain':
      return { kind: 'drained', value: changed };
    case 'resume':
      return { kind: 'drained', value: null };
    case 'weight': {
      const { weight } = request;
      return { kind: 'weight', value: weight === null ? null : { ...changed, value: weight } };
    }
  }
}

/** The names under which steps wait that may go to the agent: its own, and those of its pools. */
function namesOf({ all }: Pick<WorkflowRegistry, 'all'>, agent: AgentName): readonly AgentName[] {
  const steps = all.flatMap((definition) => definition.steps);
  const pools = steps.filter((step) => agentsOf(step).includes(agent)).map((step) => step.agent);
  return [...new Set([agent, ...pools])];
}
