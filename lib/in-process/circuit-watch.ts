/** Reports when the circuit of an agent opens, and when it is closed again: once each, not per order. */
import type { Clock } from '#ports/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** A change that operators want to know of. */
export interface CircuitEvent {
  readonly agent: string;
  readonly kind: 'opened' | 'closed';
  /** When the circuit opened, ms since the epoch. */
  readonly since: number;
  /** The steps that wait for the agent. */
  readonly held: number;
}

/** How often a recovering circuit is looked at, ms. */
const lookEveryMs = 5_000;

/** Options of {@link circuitWatch}. */
export interface CircuitWatchOptions {
  readonly agent: string;
  readonly circuit: CircuitBreaker;
  /** The number of steps that wait for the agent. */
  readonly held: () => number;
  readonly onCircuit: (event: CircuitEvent) => void;
  readonly clock: Clock;
}

/** Call `look` after each change of the circuit. */
export function circuitWatch({ agent, circuit, held, onCircuit, clock }: CircuitWatchOptions): {
  look(): void;
  close(): void;
} {
  /** When the circuit opened that was reported; null while it is closed. */
  let reported: number | null = null;
  let cancel = () => {};

  function look(): void {
    cancel();
    circuit.settle();
    const since = circuit.openSince();
    if (since !== null && reported === null) {
      onCircuit({ agent, kind: 'opened', since, held: held() });
    }
    if (since === null && reported !== null) {
      onCircuit({ agent, kind: 'closed', since: reported, held: held() });
    }
    reported = since;
    // Without calls, nothing else notices that it has recovered.
    if (circuit.state() === 'recovering') cancel = clock.after(lookEveryMs, look);
  }

  return { look, close: () => cancel() };
}
