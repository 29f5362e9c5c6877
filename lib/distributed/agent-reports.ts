/** What is known of agents where no process sees their calls: their shared circuits, and what the latest sweep counted. */
import { isOver, type SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import type { Clock } from '#ports/clock.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { AgentReports } from '#roles/agent-control.ts';

/** The ports of {@link sharedAgentReports}. */
export interface SharedAgentReportsPorts {
  readonly circuits: Pick<Circuits, 'read'>;
  readonly report: Pick<BacklogReport, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Reads one item for each agent, and the report. */
export function sharedAgentReports({ circuits, report, clock }: SharedAgentReportsPorts) {
  return async (agents: readonly AgentName[]): Promise<AgentReports> => {
    const [backlog, ...known] = await Promise.all([
      report.read(),
      ...agents.map((agent) => circuits.read(agent)),
    ]);
    const waitingFor = (name: string) => {
      let waiting = 0;
      for (const each of backlog?.classes ?? []) if (each.agent === name) waiting += each.waiting;
      return waiting;
    };
    return {
      of: (agent) => ({
        circuit: shown(known[agents.indexOf(agent)] ?? null, clock.now()),
        inFlight: null,
        room: null,
        waiting: waitingFor(agent),
      }),
      waitingFor,
    };
  };
}

/** The item of a circuit that is closed says when it last recovered. */
function shown(circuit: SharedCircuit | null, nowMs: number) {
  return circuit === null || isOver(circuit, nowMs)
    ? ({ state: 'closed', since: null } as const)
    : { state: circuit.state, since: circuit.since };
}
