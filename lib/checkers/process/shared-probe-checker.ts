/** Checks the circuits that the instances of functions share (R27) from the calls that all of them admit. */
import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';

/** See {@link sharedProbeChecker}. */
export type SharedProbeChecker = ReturnType<typeof sharedProbeChecker>;

/** The instance that makes a call. */
interface Instance {
  /** Its time, or by a correct clock if that is later, ms since the epoch. */
  latestNow(): number;
  isAlive(): boolean;
}

interface Probe {
  readonly instance: Instance;
  readonly epoch: number;
  /** When its attempt can no longer report, ms since the epoch. */
  readonly givenUpAt: number;
}

/** @param epochOf the epoch of the circuit that is stored for an agent */
export function sharedProbeChecker(epochOf: (agent: AgentName) => number, breach: Breach) {
  const probes = new Map<AgentName, Set<Probe>>();
  return {
    /** An instance whose circuit is half-open admitted a call. Returns what ends it. */
    began(
      agent: AgentName,
      { completeBy, endBy }: Pick<Request, 'completeBy' | 'endBy'>,
      instance: Instance,
    ): () => void {
      const epoch = epochOf(agent);
      const own = { instance, epoch, givenUpAt: Math.max(completeBy, endBy) };
      const ofAgent = probes.get(agent) ?? new Set();
      probes.set(agent, ofAgent.add(own));
      const inFlight = [...ofAgent].filter(
        (each) =>
          each.epoch === epoch &&
          each.instance.isAlive() &&
          Math.max(each.instance.latestNow(), instance.latestNow()) <= each.givenUpAt,
      );
      if (inFlight.length > 1)
        breach('R27', `${agent} has ${inFlight.length} probes of epoch ${epoch} in flight`);
      return () => void ofAgent.delete(own);
    },
  };
}
