/**
 * Holds: a step whose agent has a gate, such as a limit of calls in flight or a circuit breaker, waits while the gate lets
 * no call through.
 */
import type { StepName } from './ids.ts';

/**
 * `concurrency`: the agent has as many calls as it can begin in time. `circuit`: its circuit breaker is open. `limit`: a limit
 * of the agent has no room for the call. `drained`: an operator lets no new call go to the agent, nor to any member of the pool.
 */
export const gates = ['concurrency', 'circuit', 'limit', 'drained'] as const;
/** Why a step is held. */
export type Gate = (typeof gates)[number];

/** What a gate says that lets no call through: the step is held, and asks again at `until`, ms since the epoch, or earlier. */
export interface Hold {
  readonly gate: Gate;
  readonly until: number;
}

/** By step; a step that is not in it may start. */
export type Holds = ReadonlyMap<StepName, Hold>;

/** A hold as the history keeps it, so that the history replays (R15). `since`: since when the step has been held. */
export interface HoldEntry extends Hold {
  readonly step: StepName;
  readonly since: number;
}
