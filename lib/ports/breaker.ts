/** Breaker: whether the calls to one remote service may be made now. */
import type { CircuitState } from '#core/flow/circuit.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import type { Request } from '#core/model/message.ts';

/** Why an attempt is not made now. */
export interface Refusal {
  readonly gate: GateOfAgent;
  /** When to ask again at the earliest, ms from now. */
  readonly retryAfterMs: number;
}

/** A call that may be made. */
export interface AdmittedCall {
  /** The circuit is half-open: whether others may call depends on how this one ends. */
  readonly isProbe: boolean;
  /** The service answered; a permanent fault is an answer. */
  answered(): void;
  /** The service did not answer, or with a transient fault. */
  failed(): void;
}

/** Whether a call may be made now. */
export type Admission = AdmittedCall | Refusal;

/** A circuit breaker around one remote service, and the number of calls that it takes at once. */
export interface Breaker {
  /**
   * Before an attempt. Null: it may begin; `end` must follow in any case. A promise only where the attempt waits for its turn, or
   * something must be read.
   */
  begin(request: Request): Refusal | null | Promise<Refusal | null>;
  /**
   * Before each call of an attempt that has begun. A refusal ends the attempt, but for the gate `limit`: then ask again after
   * `retryAfterMs`, if that is in time. A promise only where a slot must be leased first.
   *
   * @param completeBy until when the call may take, as heartbeats have moved it. Default: complete-by of the request
   */
  admit(request: Request, completeBy?: number): Admission | Promise<Admission>;
  /** After an attempt, whether or not it began. */
  end(request: Request): void;
  /** The state for operators. */
  state(): CircuitState;
}

/** A breaker that knows at once whether a call may be made. */
export interface ImmediateBreaker extends Breaker {
  admit(request: Request, completeBy?: number): Admission;
}
