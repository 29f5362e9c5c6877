/** The states of a circuit. */
export const breakerStates = ['closed', 'open', 'half-open'] as const;
/** See {@link breakerStates}. */
export type BreakerState = (typeof breakerStates)[number];

/** A circuit breaker around one remote service. */
export interface Breaker {
  /**
   * Runs `call` unless the circuit is open. Transient faults of `call` count towards opening it.
   *
   * @throws {TransientFault} `circuit-open` at once, while the circuit is open
   */
  run<Value>(call: () => Promise<Value>): Promise<Value>;
  /** The state for operators; absent when the breaker has no states. */
  state?(): BreakerState;
}
