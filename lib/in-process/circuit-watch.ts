/** Reports when the service of an agent becomes unavailable, and when it is well again: once each, not per order. */
import type { Clock } from '#ports/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** A change that operators want to know of. */
export interface CircuitEvent {
  readonly agent: string;
  /** `failing`: the circuit opened; `well`: it is closed again. */
  readonly kind: 'failing' | 'well';
  /** Since when the service has been failing, ms since the epoch. */
  readonly since: number;
  /** The steps that wait for the agent. */
  readonly held: number;
}

/** How often a recovering circuit is looked at, ms. */
const lookEveryMs = 5_000;

/** Options of {@link circuitWatch}. */
export interface CircuitWatchOptions {
  readonly agent: string;
  readonly circuit: () => CircuitBreaker;
  readonly held: () => number;
  readonly onEvent: (event: CircuitEvent) => void;
  readonly clock: Clock;
}

/** Call `look` after each change of the circuit. */
export function circuitWatch({ agent, circuit, held, onEvent, clock }: CircuitWatchOptions): {
  look(): void;
  close(): void;
} {
  let since: number | null = null;
  let cancel = () => {};

  function look(): void {
    cancel();
    circuit().settle();
    const state = circuit().state();
    if (state === 'closed') {
      if (since !== null) onEvent({ agent, kind: 'well', since, held: held() });
      since = null;
      return;
    }
    if (since === null) {
      since = clock.now();
      onEvent({ agent, kind: 'failing', since, held: held() });
    }
    if (state === 'recovering') cancel = clock.after(lookEveryMs, look);
  }

  return { look, close: () => cancel() };
}
