/** The circuit breaker of one remote service in one process; see lib/core/flow/circuit.ts. */
import {
  admitsAt,
  admitted,
  afterCall,
  afterNoCall,
  afterUnsent,
  type Circuit,
  type CircuitState,
  inherited,
  mayCall,
  newCircuit,
  settled,
} from '#core/flow/circuit.ts';
import type { Request } from '#core/model/message.ts';
import type { AdmittedCall } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';

/** A circuit with its present state. */
export interface CircuitBreaker {
  /** Whether this step may begin an attempt. Each step that it admits must make a call, or be given to `unsent`. */
  admits(step: string): boolean;
  /** The call of a step that was admitted; null when the circuit has opened since. */
  call(request: Request): AdmittedCall | null;
  /** The attempt of the step has ended, with or without a call. */
  ended(step: string): void;
  /** The attempt of the step did not begin: another step is admitted for it, also while the service recovers. */
  unsent(step: string): void;
  /**
   * The circuit was open in the former process. It is open again, as long as no call of this one was answered: the next step is its probe.
   *
   * @param since when it opened, or later, ms since the epoch
   */
  inherit(since: number): void;
  /** Whether the step was a probe that failed, or made no call, since it was last asked for. */
  takeFailedProbe(step: string): boolean;
  /** Closes a circuit that has recovered, also when nothing is asked for. */
  settle(): void;
  /** The earliest instant at which a step can be admitted; null while a probe is in flight. */
  admitsAt(): number | null;
  state(): CircuitState;
  /** When it opened, ms since the epoch; null while it is closed. */
  openSince(): number | null;
  /** For people; see {@link CircuitStatus}. */
  status(): CircuitStatus;
}

/** A circuit as people see it. Instants are ms since the epoch. */
export interface CircuitStatus {
  readonly state: CircuitState;
  /** Every change of the state begins a new one. */
  readonly epoch: number;
  /** When it opened; null while it is closed. */
  readonly since: number | null;
  /** When a call will test the service; null while it is not open, or while that call is in flight. */
  readonly probeAt: number | null;
}

/** Makes the circuit breaker of one service. `onChange`: called when the end of a call, or what it inherits, changed its state. */
export function circuitBreaker(clock: Clock, onChange: () => void = () => {}): CircuitBreaker {
  let circuit: Circuit = newCircuit(clock.now());
  /** The epoch whose probe is in flight: a request that was delivered twice makes one call of it (R27). */
  let probing: number | null = null;
  /** Whether the service has answered this process. */
  let hasAnswered = false;
  /** Steps, since the service fails. */
  const failedProbes = new Set<string>();
  const openSince = () => (circuit.state === 'closed' ? null : circuit.since);
  return {
    inherit(since) {
      if (hasAnswered || circuit.state !== 'closed') return;
      circuit = inherited(circuit, since, clock.now());
      onChange();
    },
    takeFailedProbe: (step) => failedProbes.delete(step),
    settle() {
      circuit = settled(circuit, clock.now());
    },
    admits(step) {
      const next = admitted(circuit, step, clock.now());
      if (next !== null) circuit = next;
      return next !== null;
    },
    call(request) {
      const { idempotencyKey: step } = request;
      if (!mayCall(circuit, step) || probing === circuit.epoch) return null;
      if (circuit.state === 'half-open') probing = circuit.epoch;
      const from = { epoch: circuit.epoch, step, order: request.orderId };
      const end = (isAnswered: boolean) => {
        const before = circuit.state;
        hasAnswered ||= isAnswered;
        circuit = afterCall(circuit, { ...from, isAnswered }, clock.now());
        if (circuit.state === before) return;
        if (before === 'half-open' && !isAnswered) failedProbes.add(step);
        if (isAnswered) failedProbes.clear();
        onChange();
      };
      const isProbe = circuit.state === 'half-open';
      return { isProbe, answered: () => end(true), failed: () => end(false) };
    },
    ended(step) {
      // The call in flight will say how the service is.
      if (probing === circuit.epoch) return;
      const before = circuit;
      circuit = afterNoCall(circuit, step, clock.now());
      if (circuit !== before) failedProbes.add(step);
    },
    unsent(step) {
      if (probing !== circuit.epoch) circuit = afterUnsent(circuit, step, clock.now());
    },
    admitsAt: () => admitsAt(circuit, clock.now()),
    state: () => circuit.state,
    openSince,
    status: () => ({
      state: circuit.state,
      epoch: circuit.epoch,
      since: openSince(),
      probeAt: circuit.state === 'open' ? circuit.probeAt : null,
    }),
  };
}
