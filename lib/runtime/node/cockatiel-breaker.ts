/** A circuit breaker by cockatiel. */
import {
  BrokenCircuitError,
  CircuitState,
  circuitBreaker,
  handleWhen,
  SamplingBreaker,
} from 'cockatiel';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { Breaker, BreakerState } from '#ports/breaker.ts';

/** How long an open circuit refuses calls before it lets one through, ms; short compared with usual deadlines. */
const halfOpenAfterMs = 1_000;
/** The circuit opens when half of the calls in this window failed, ms. */
const windowMs = 5_000;
const threshold = 0.5;
/** Calls per second in the window that are needed to judge. */
const minimumRps = 2;

const states: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
};

/** Makes the circuit breaker of one remote service; permanent faults do not count as failures. */
export function cockatielBreaker(service: string): Breaker {
  const policy = circuitBreaker(
    handleWhen((error) => !(error instanceof PermanentFault)),
    {
      halfOpenAfter: halfOpenAfterMs,
      breaker: new SamplingBreaker({ threshold, duration: windowMs, minimumRps }),
    },
  );
  return {
    state: () => states[policy.state],
    async run(call) {
      try {
        return await policy.execute(call);
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error;
        throw new TransientFault(
          'circuit-open',
          `${service} failed too often; its circuit is open for ${halfOpenAfterMs} ms.`,
          { cause: error },
        );
      }
    },
  };
}
