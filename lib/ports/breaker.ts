export const breakerStates = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/** A circuit breaker around one remote service. */
export interface Breaker {
  /**
   * Runs `call` unless the circuit is open; transient faults it throws count towards opening it.
   *
   * @throws {TransientFault} `circuit-open` at once, while the circuit is open
   */
  run<Value>(call: () => Promise<Value>): Promise<Value>;
  /** What an operator is shown; left out by a breaker that has no states. */
  state?(): BreakerState;
}
