/** Checks the circuits of one process (R27) from the calls that they admit. It lives as long as the process. */
import type { AgentName } from '#core/model/ids.ts';
import type { Breach } from './violation.ts';

/** See {@link probeChecker}. */
export type ProbeChecker = ReturnType<typeof probeChecker>;

/** What was seen of a circuit. */
interface Seen {
  state: string;
  /** The changes of its state: calls between two of them are of one epoch. */
  changes: number;
  /** The calls in flight that began while it was half-open. */
  probes: number;
}

/** @param stateOf the present state of the circuit of an agent */
export function probeChecker(stateOf: (agent: AgentName) => string, breach: Breach) {
  const circuits = new Map<AgentName, Seen>();

  function look(agent: AgentName): Seen {
    const state = stateOf(agent);
    const seen = circuits.get(agent) ?? { state, changes: 0, probes: 0 };
    circuits.set(agent, seen);
    if (seen.state !== state) seen.changes += 1;
    seen.state = state;
    return seen;
  }

  return {
    look,
    /** A call was admitted. Returns what tells the circuit of its end, by `end`. */
    began(agent: AgentName): (end: () => void) => void {
      const seen = look(agent);
      const epoch = seen.changes;
      const isProbe = seen.state === 'half-open';
      if (isProbe) seen.probes += 1;
      if (isProbe && seen.probes > 1) breach('R27', `${agent} has ${seen.probes} probes in flight`);
      return (end) => {
        const { state: before, changes } = look(agent);
        if (isProbe) seen.probes -= 1;
        end();
        const { state } = look(agent);
        if (changes === epoch || state === before) return;
        breach('R27', `a call of an earlier epoch made the circuit of ${agent} ${state}`);
      };
    },
  };
}
