/**
 * Holds: a step whose agent has a gate, such as a limit of calls in flight or a circuit breaker, waits while the gate lets
 * no call through. So do the first steps of an order that waits for earlier ones of its singleton key.
 */
import type { StepName } from './ids.ts';

/**
 * `concurrency`: the agent has as many calls as it can begin in time. `circuit`: its circuit breaker is open. `limit`: a limit
 * of the agent has no room for the call. `drained`: an operator lets no new call go to the agent, nor to any member of the pool.
 */
export const agentGates = ['concurrency', 'circuit', 'limit', 'drained'] as const;
/** As {@link agentGates}. `turn`: an earlier order of the same singleton key has not ended (R29). */
export const gates = [...agentGates, 'turn'] as const;
/** Why a step is held. */
export type Gate = (typeof gates)[number];

/** What an agent says when it gives a call back. */
export type GateOfAgent = (typeof agentGates)[number];

/** What a gate says that lets no call through: the step is held, and asks again at `until`, ms since the epoch, or earlier. */
export interface Hold {
  readonly gate: Gate;
  readonly until: number;
  /** Where several queues wait for one agent: the one of this step, such as that of the key of a limit. A hash. */
  readonly queue?: string;
}

/** By step; a step that is not in it may start. */
export type Holds = ReadonlyMap<StepName, Hold>;

/** A hold as the history keeps it, so that the history replays (R15). `since`: since when the step has been held. */
export interface HoldEntry extends Hold {
  readonly step: StepName;
  readonly since: number;
}
