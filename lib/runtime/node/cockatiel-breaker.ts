/** The circuit breaker of one remote service, by cockatiel. */
import {
  BrokenCircuitError,
  CircuitState,
  circuitBreaker,
  handleWhen,
  SamplingBreaker,
} from 'cockatiel';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { Breaker, BreakerState } from '#ports/breaker.ts';

/** How long an open circuit keeps calls away before one may try, ms: a blink for a person. */
const halfOpenAfterMs = 1_000;
/** Opens when half the calls of this window failed … */
const windowMs = 5_000;
const threshold = 0.5;
/** … and there were enough of them to tell, a second. */
const minimumRps = 2;

const states: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
};

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
          `${service} failed too often of late; it is left alone for ${halfOpenAfterMs} ms.`,
          { cause: error },
        );
      }
    },
  };
}
