/** Checks the circuits of one process (R27) from the calls that they admit. It lives as long as the process. */

import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';

/** See {@link probeChecker}. */
export type ProbeChecker = ReturnType<typeof probeChecker>;

/** What was seen of a circuit. */
interface Seen {
  state: string;
  /** The changes of its state: calls between two of them are of one epoch. */
  changes: number;
  /** The calls in flight that began while it was half-open, with the last instant at which their attempts can report. */
  readonly probes: Map<Attempt, number>;
}

type Attempt = Pick<Request, 'completeBy' | 'completeWithinMs' | 'endBy'>;

/** Where the clock of the Scheduler is ahead, sweeps repair the deadline of an attempt to what it is by theirs (R14). */
const latestReport = ({ completeBy, completeWithinMs, endBy }: Attempt, nowMs: number): number =>
  Math.min(Math.max(completeBy, endBy), nowMs + completeWithinMs + Math.max(0, endBy - completeBy));

/**
 * @param stateOf the present state of the circuit of an agent
 * @param now the time of the process, or by a correct clock if that is later, ms since the epoch
 */
export function probeChecker(
  stateOf: (agent: AgentName) => string,
  now: () => number,
  breach: Breach,
) {
  const circuits = new Map<AgentName, Seen>();

  function look(agent: AgentName): Seen {
    const state = stateOf(agent);
    const seen = circuits.get(agent) ?? { state, changes: 0, probes: new Map() };
    circuits.set(agent, seen);
    if (seen.state !== state) seen.changes += 1;
    seen.state = state;
    return seen;
  }

  /**
   * A process that was frozen during a probe, or whose clock is behind, still has it when its attempt can no longer report: then others
   * probe, and it is of no epoch.
   */
  const isGivenUp = (reportsUntil: number) => now() > reportsUntil;

  return {
    look,
    /** A call was admitted. Returns what tells the circuit of its end, by `end`. */
    began(agent: AgentName, attempt: Attempt): (end: () => void) => void {
      const seen = look(agent);
      const epoch = seen.changes;
      if (seen.state === 'half-open') {
        seen.probes.set(attempt, latestReport(attempt, now()));
        const inFlight = [...seen.probes.values()].filter((each) => !isGivenUp(each)).length;
        if (inFlight > 1) breach('R27', `${agent} has ${inFlight} probes in flight`);
      }
      return (end) => {
        const { state: before, changes } = look(agent);
        seen.probes.delete(attempt);
        end();
        const { state } = look(agent);
        if (changes === epoch || state === before) return;
        breach('R27', `a call of an earlier epoch made the circuit of ${agent} ${state}`);
      };
    },
  };
}
