/** What the instances of functions share to control the flow to agents: circuits, ejected endpoints, the index of held steps, the queues' counts. */
import { type AgentSettings, changedSettings } from '#core/definition/agent-settings.ts';
import { type Ejection, ejectionMaxMs } from '#core/flow/endpoint-member.ts';
import type { HeldBacklog } from '#core/flow/held-backlog.ts';
import type { ReplyDelay } from '#core/flow/reply-delay.ts';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { agentName } from '#core/model/ids.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import type { ReplyDelays } from '#ports/health/reply-delays.ts';
import type { HeldCounts, HeldSteps } from '#ports/held-steps.ts';
import type { RequestBacklog } from '#ports/request-backlog.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { HeldIndex } from './held-index.ts';
import type { Queues } from './queues.ts';
import type { SimQueue } from './sim-queue.ts';

/** The stored circuits, by agent. */
export type CircuitTable = Map<string, SharedCircuit>;

export function simCircuits(table: CircuitTable, machine: Machine): Circuits {
  const refusal = 'coordination-throttled';
  return {
    read: (agent) =>
      machine.call({
        what: `read the circuit of ${agent}`,
        refusal,
        act: () => table.get(agent) ?? null,
      }),
    store: (agent, circuit, after) =>
      machine.call({
        what: `store the circuit of ${agent}: ${circuit.state} ${circuit.epoch}`,
        refusal,
        act() {
          if ((table.get(agent)?.epoch ?? 0) !== after) return false;
          table.set(agent, circuit);
          return true;
        },
      }),
  };
}

/** {@link Ejections} without delays. */
export interface EjectionTable {
  read(agent: string): readonly Ejection[];
  store(agent: string, ejection: Ejection, nowMs: number): void;
}

export function ejectionTable(): EjectionTable {
  const byAgent = new Map<string, Map<string, Ejection>>();
  return {
    read: (agent) => [...(byAgent.get(agent)?.values() ?? [])],
    store(agent, ejection, nowMs) {
      const stored = byAgent.get(agent) ?? new Map<string, Ejection>();
      const { until = 0 } = stored.get(ejection.url) ?? {};
      if (until >= nowMs && until <= nowMs + ejectionMaxMs) return;
      byAgent.set(agent, stored.set(ejection.url, ejection));
    },
  };
}

/** What the Schedulers noted of the replies of each agent. */
export type ReplyDelayTable = Map<string, ReplyDelay>;

export function simReplyDelays(table: ReplyDelayTable, machine: Machine): ReplyDelays {
  const refusal = 'coordination-throttled';
  return {
    read: (agent) =>
      machine.call({
        what: `read how long replies of ${agent} wait`,
        refusal,
        act: () => table.get(agent) ?? null,
      }),
    note: (agent, delay) =>
      machine.call({
        what: `note that replies of ${agent} wait for ${delay.ms} ms`,
        refusal,
        act: () => void table.set(agent, delay),
      }),
  };
}

export function simEjections(table: EjectionTable, machine: Machine): Ejections {
  const refusal = 'coordination-throttled';
  return {
    read: (agent) =>
      machine.call({
        what: `read the ejected endpoints of ${agent}`,
        refusal,
        act: () => table.read(agent),
      }),
    store: (agent, ejection, nowMs) =>
      machine.call({
        what: `eject ${ejection.url} of ${agent}`,
        refusal,
        act: () => table.store(agent, ejection, nowMs),
      }),
  };
}

/** Who waits for an agent. */
export function simHeldSteps(index: HeldIndex, machine: Machine): HeldSteps & HeldCounts {
  const refusal = 'store-throttled';
  return {
    waiting: (agent, priority, limit, after) =>
      machine.call({
        what: `read who waits for ${agent}`,
        refusal,
        act: () => index.after(agent, priority, after, limit),
      }),
    count: (agent, priority, from) =>
      machine.call({
        what: `count who waits for ${agent}`,
        refusal,
        act: () => index.counts(agent, priority, from),
      }),
  };
}

/** What operators changed of agents and limits, as it is stored. */
export interface AgentSettingTable {
  settings: AgentSettings;
  /** What was stored before, each until the next change, the earliest first. */
  readonly former: { readonly settings: AgentSettings; readonly until: number }[];
  /** The time of the world. */
  readonly now: () => number;
}

export const agentSettingTable = (now: () => number): AgentSettingTable => ({
  ...{ settings: new Map(), former: [], now },
});

/** @param isLocal nothing is written after the end of the process, as its successor has the lock on the data */
export function simAgentSettings(
  table: AgentSettingTable,
  machine: Machine,
  isLocal = false,
): AgentSettingStore {
  const refusal = 'coordination-throttled';
  return {
    read: () =>
      machine.call({ what: 'read what agents are to do', refusal, act: () => table.settings }),
    store: (agent, change) =>
      machine.call({
        what: `store what ${agent} is to do`,
        refusal,
        act() {
          if (isLocal && !machine.isAlive()) return;
          table.former.push({ settings: table.settings, until: table.now() });
          table.settings = changedSettings(table.settings, agent, change);
        },
      }),
  };
}

/** The stored report. */
export interface ReportItem {
  latest: HeldBacklog | null;
}

export function simBacklogReport(item: ReportItem, machine: Machine): BacklogReport {
  const refusal = 'coordination-throttled';
  return {
    read: () => machine.call({ what: 'read who waits', refusal, act: () => item.latest }),
    store: (backlog) =>
      machine.call({
        what: `report ${backlog.classes.reduce((sum, { waiting }) => sum + waiting, 0)} who wait`,
        refusal,
        act() {
          item.latest = backlog;
        },
      }),
  };
}

export function simRequestBacklog(
  { requests }: Pick<Queues<Pick<SimQueue, 'count'>>, 'requests'>,
  machine: Machine,
): RequestBacklog {
  return {
    of: (agent) =>
      machine.call({
        what: `count the requests to ${agent}`,
        refusal: 'queue-throttled',
        act: () => requests.get(agentName(agent))?.count() ?? { waiting: 0, inFlight: 0 },
      }),
  };
}
