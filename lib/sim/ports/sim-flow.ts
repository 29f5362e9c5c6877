/** What the instances of functions share to control the flow to agents: circuits, the index of held steps, the queues' counts. */
import type { HeldBacklog } from '#core/flow/held-backlog.ts';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { agentName } from '#core/model/ids.ts';
import type { Priority } from '#core/model/record.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import type { Circuits } from '#ports/circuits.ts';
import type { HeldCounts, HeldSteps } from '#ports/held-steps.ts';
import type { RequestBacklog } from '#ports/request-backlog.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { Queues } from './queues.ts';
import { recordsOf, type SimTable } from './sim-table.ts';

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

/** Who waits, in the order of lib/aws/store/held-key.ts. */
export function simHeldSteps(table: SimTable, machine: Machine): HeldSteps & HeldCounts {
  const waitingFor = (agent: string, priority: Priority) =>
    recordsOf(table)
      .flatMap((record) => {
        const held = record.steps.find(({ progress }) => progress.state === 'Held');
        if (held?.agent !== agent || held.progress.state !== 'Held') return [];
        if (record.priority !== priority) return [];
        const flow = simFlowOf(record.tenant);
        return [{ orderId: record.orderId, flow, since: held.progress.since }];
      })
      .sort((a, b) => (a.flow === b.flow ? a.since - b.since : a.flow < b.flow ? -1 : 1));
  const refusal = 'store-throttled';
  return {
    waiting: (agent, priority, limit, after) =>
      machine.call({
        what: `read who waits for ${agent}`,
        refusal,
        act: () =>
          waitingFor(agent, priority)
            .filter(({ flow }) => after === null || flow > after)
            .slice(0, limit)
            .map(({ orderId, flow }) => ({ orderId, flow })),
      }),
    count: (agent, priority, from) =>
      machine.call({
        what: `count who waits for ${agent}`,
        refusal,
        act: () =>
          [...Map.groupBy(waitingFor(agent, priority), ({ flow }) => flow)].map(([flow, own]) => ({
            flow,
            waiting: own.length,
            early: own.filter(({ since }) => from !== null && since <= from).length,
          })),
      }),
  };
}

/** The name of a tenant in the index. */
export const simFlowOf = (tenant: string | null) => tenant ?? '';

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

export function simRequestBacklog({ requests }: Queues, machine: Machine): RequestBacklog {
  return {
    of: (agent) =>
      machine.call({
        what: `count the requests to ${agent}`,
        refusal: 'queue-throttled',
        act: () => requests.get(agentName(agent))?.count() ?? { waiting: 0, inFlight: 0 },
      }),
  };
}
