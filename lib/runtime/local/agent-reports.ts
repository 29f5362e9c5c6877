/** What the agents of one process do now, for operators. */
import type { AgentName } from '#core/model/ids.ts';
import type { Activity } from '#http/api-ports.ts';
import type { AgentGates } from '#in-process/agent-gates.ts';
import type { AgentReports } from '#roles/agent-control.ts';

/** Reads the gates and the activity when it is called. */
export function localAgentReports(
  gates: Pick<AgentGates, 'of'>,
  activity: () => Pick<Activity, 'agents' | 'pools'>,
): AgentReports {
  const { agents, pools } = activity();
  return {
    of(name: AgentName) {
      const gate = gates.of(name);
      const { state, since } = gate.circuit();
      const counts = agents.find((agent) => agent.name === name);
      return {
        circuit: { state, since },
        inFlight: counts?.inFlight ?? null,
        room: gate.room(),
        waiting: counts?.waiting ?? null,
      };
    },
    waitingFor: (name) => pools.find((pool) => pool.name === name)?.waiting ?? null,
  };
}
