/** What the instances of functions share to control the flow to agents: circuits, the index of held steps, the queues' counts. */
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { agentName } from '#core/model/ids.ts';
import type { Circuits } from '#ports/circuits.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
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

/** In the order of lib/aws/store/held-key.ts. */
export function simHeldSteps(table: SimTable, machine: Machine): HeldSteps {
  return {
    waiting: (agent, priority, limit, after) =>
      machine.call({
        what: `read who waits for ${agent}`,
        refusal: 'store-throttled',
        act: () =>
          recordsOf(table)
            .flatMap((record) => {
              const held = record.steps.find(({ progress }) => progress.state === 'Held');
              if (held?.agent !== agent || held.progress.state !== 'Held') return [];
              if (record.priority !== priority) return [];
              const flow = record.tenant ?? '';
              return [{ orderId: record.orderId, flow, since: held.progress.since }];
            })
            .filter(({ flow }) => after === null || flow > after)
            .sort((a, b) => (a.flow === b.flow ? a.since - b.since : a.flow < b.flow ? -1 : 1))
            .slice(0, limit)
            .map(({ orderId, flow }) => ({ orderId, flow })),
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
