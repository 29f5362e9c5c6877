/**
 * Grants: what a Scheduler may do with the steps of an order whose agents have a gate, such as a limit of calls in flight or
 * a circuit breaker. A step without a grant has no gate.
 */
import type { StepName } from './ids.ts';

/** `room`: the agent has as many calls as it can begin in time. `circuit`: its circuit breaker is open. */
export const gates = ['room', 'circuit'] as const;
/** Why a step is held. */
export type Gate = (typeof gates)[number];

/** The call may be dispatched; its agent is expected to begin it at `startAt`, ms since the epoch. */
export interface StartGrant {
  readonly kind: 'start';
  readonly startAt: number;
}

/** The call may not be dispatched: the step is held, and asks again at `until`, ms since the epoch, or earlier. */
export interface HoldGrant {
  readonly kind: 'hold';
  readonly gate: Gate;
  readonly until: number;
}

/** What the gate of the agent of a step said. */
export type Grant = StartGrant | HoldGrant;
/** By step; a step that is not in it has no gate. */
export type Grants = ReadonlyMap<StepName, Grant>;

/** A grant as the history keeps it, so that the history replays (R15). `since`: since when the step has been held. */
export type GrantEntry =
  | (StartGrant & { readonly step: StepName })
  | (HoldGrant & { readonly step: StepName; readonly since: number });
