/**
 * The breaker of an agent of which several instances run, such as a Lambda function. The instances share one circuit
 * (#core/flow/shared-circuit.ts). While calls succeed, nothing is read or stored: an instance reads the stored circuit
 * after a failed call, and while it knows that the circuit is not closed.
 */
import { admitted, afterCall, afterNoCall, mayCall, settled } from '#core/flow/circuit.ts';
import { isTooLate } from '#core/flow/late-begin.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import { limits } from '#core/model/limits.ts';
import type { Request } from '#core/model/message.ts';
import type { ImmediateBreaker, Refusal } from '#ports/breaker.ts';
import { type CircuitCopyOptions, circuitCopy } from './circuit-copy.ts';
import type { QueueClock } from './queue-clock.ts';

/** Options of {@link sharedCircuitBreaker}. */
export interface SharedCircuitBreakerOptions extends CircuitCopyOptions {
  readonly queueClock: Pick<QueueClock, 'latest'>;
}

/** A breaker that shares its circuit. */
export interface SharedCircuitBreaker extends ImmediateBreaker {
  /** Resolves when what the latest calls changed is stored. Await it before the instance may be suspended. */
  stored(): Promise<void>;
}

/** How long after its deadline the end of a probe may still be stored, ms. */
const probeGraceMs = 5_000;
/**
 * No function lives longer, ms (AWS Lambda), and its probe ends with it. Heartbeats move the deadline without a word to the other
 * instances, to the end of the attempt at most, which may be days ahead.
 */
const functionMaxMs = 15 * 60_000;
/** After a store that gave no answer, the next step may try to be the probe, ms. */
const probeAgainMs = 1_000;
/** How long an attempt is held that could not begin in time, ms; the replies of other attempts release it earlier. */
const retryAfterMs: Readonly<Record<GateOfAgent, number>> = {
  concurrency: 60_000,
  circuit: limits.holdLookMaxMs,
  limit: limits.holdLookMaxMs,
  drained: limits.holdLookMaxMs,
};

/** Makes the breaker of one instance. */
export function sharedCircuitBreaker(options: SharedCircuitBreakerOptions): SharedCircuitBreaker {
  const { clock, queueClock } = options;
  const copy = circuitCopy(options);
  let storing: Promise<unknown> = Promise.resolve();
  /** The epoch whose probe this instance makes: a request may be delivered to another instance, too. */
  let ownProbe: number | null = null;
  /** The epoch whose probe is in flight: a request that was delivered twice makes one call of it (R27). */
  let probing: number | null = null;

  function later(work: () => Promise<unknown>): void {
    storing = storing.then(() => work());
  }

  async function becomesProbe({ idempotencyKey: step, endBy, completeBy }: Request) {
    const next = admitted(copy.current(), step, clock.now());
    if (next === null) return false;
    copy.change(next);
    // By a clock that is behind, others would find the probe given up at once, and probe, too (R27).
    const functionEndsAt = queueClock.latest(clock.now() + functionMaxMs);
    const until = Math.min(Math.max(endBy, completeBy), functionEndsAt);
    if (await copy.store(until + probeGraceMs)) {
      ownProbe = next.epoch;
      return true;
    }
    // It is unknown whether another instance probes.
    if (copy.current() === next) {
      copy.change(afterNoCall(next, step, clock.now() + probeAgainMs));
      return false;
    }
    return mayCallHere(step);
  }

  function mayCallHere(step: string): boolean {
    const circuit = copy.current();
    return mayCall(circuit, step) && (circuit.state !== 'half-open' || ownProbe === circuit.epoch);
  }

  return {
    async begin(request) {
      if (isTooLate(request, clock.now())) return refusal('concurrency');
      if (copy.current().state === 'closed') return null;
      if (copy.isStale()) await copy.read();
      copy.change(settled(copy.current(), clock.now()));
      const { idempotencyKey: step } = request;
      const mayBegin =
        copy.current().state === 'open' ? await becomesProbe(request) : mayCallHere(step);
      return mayBegin ? null : refusal('circuit');
    },
    admit({ idempotencyKey: step, orderId: order }) {
      const { epoch, state } = copy.current();
      if (!mayCallHere(step) || probing === epoch) return refusal('circuit');
      if (state === 'half-open') probing = epoch;
      const end = (isAnswered: boolean) => {
        const before = copy.current();
        const after = afterCall(before, { epoch, step, order, isAnswered }, clock.now());
        copy.change(after);
        if (after.state !== before.state) later(() => copy.store());
        else if (!isAnswered && copy.isStale()) later(copy.read);
      };
      const isProbe = state === 'half-open';
      return { isProbe, answered: () => end(true), failed: () => end(false) };
    },
    end({ idempotencyKey: step }) {
      const before = copy.current();
      // Another instance makes the probe, or the call in flight will say how the service is.
      if (ownProbe !== before.epoch || probing === before.epoch) return;
      copy.change(afterNoCall(before, step, clock.now()));
      if (copy.current() !== before) later(() => copy.store());
    },
    state: () => copy.current().state,
    async stored() {
      await storing;
    },
  };
}

const refusal = (gate: GateOfAgent): Refusal => ({ gate, retryAfterMs: retryAfterMs[gate] });
