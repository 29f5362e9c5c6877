/** A call over a network, which may be slow, be refused, lose its answer, happen twice, or outlive its caller. */
import { UnavailableError } from '#core/model/errors.ts';
import type { Line, Moment } from '#sim/faults/crash-points.ts';
import type { DrawnFault, Faults } from '#sim/faults/fault-rates.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface Call<Value> {
  /** The description in the trace. */
  readonly what: string;
  /** Takes effect at one instant at the callee; throws the callee's errors. */
  readonly act: () => Value;
  /** Performs a part of it, for calls that can be interrupted. */
  readonly actInPart?: () => void;
  /** The callee may refuse with this fault, without effect. */
  readonly refusal?: DrawnFault;
  /** The request's duration, ms. @default a few */
  readonly latencyMs?: number;
  /** The answer's duration, ms; infinite: no answer arrives. @default 0 */
  readonly answerAfterMs?: number;
}

/** The machine that calls. */
export interface Caller {
  readonly name: string;
  isAlive(): boolean;
  whenAwake(work: () => void): void;
  crash(lines: readonly Line[], moment: Moment): void;
}

type Outcome<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: unknown };

/** The effect happens even when the caller crashes meanwhile; the caller then gets no answer. */
export function remoteCall<Value>(
  caller: Caller,
  around: SimContext,
  asked: Call<Value>,
): Promise<Value> {
  const { timeline, chance, faults, trace } = around;
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  if (!caller.isAlive()) return promise;
  const { what, act, actInPart, refusal, answerAfterMs = 0 } = asked;
  if (faults.strike('crash-before-call')) {
    trace.record(`${caller.name} dies before: ${what}`);
    caller.crash(around.crashPoints.here(), 'before');
    return promise;
  }
  const fate = fateOf(faults, refusal, actInPart !== undefined);
  const dies = fate === 'crash-after-call' || fate === 'crash-between-items';
  const lines = dies ? around.crashPoints.here() : [];
  const slow = faults.strike('call-slow') ? chance.between(500, 45_000) : 0;
  const arrival = timeline.now() + (asked.latencyMs ?? chance.between(1, 15)) + slow;
  timeline.at(arrival, () => {
    if (fate !== 'well') trace.record(`${caller.name}: ${what}: ${fate}`);
    switch (fate) {
      case 'crash-between-items':
        actInPart?.();
        caller.crash(lines, 'after');
        return;
      case 'crash-after-call':
        outcomeOf(act);
        caller.crash(lines, 'after');
        return;
      case 'answer-lost':
        outcomeOf(act);
        // What a write began is lost with its answer.
        faults.takeEffect();
        answer({ kind: 'error', error: unavailable(fate) });
        return;
      case 'retried-underneath':
        outcomeOf(act);
        answer(outcomeOf(act), answerAfterMs);
        return;
      case 'well':
        answer(outcomeOf(act), answerAfterMs);
        return;
      default:
        answer({ kind: 'error', error: unavailable(fate) });
    }
  });
  return promise;

  function answer(outcome: Outcome<Value>, waitMs = 0): void {
    const give = () => {
      if (outcome.kind === 'answer') resolve(outcome.value);
      else reject(outcome.error);
    };
    if (waitMs === 0) caller.whenAwake(give);
    else if (waitMs < Number.POSITIVE_INFINITY) {
      timeline.at(timeline.now() + waitMs, () => caller.whenAwake(give));
    }
  }
}

function fateOf(
  faults: Faults,
  refusal: DrawnFault | undefined,
  hasParts: boolean,
): DrawnFault | 'well' {
  if (refusal !== undefined && faults.strike(refusal)) return refusal;
  if (faults.strike('crash-after-call')) return 'crash-after-call';
  if (hasParts && faults.strike('crash-between-items')) return 'crash-between-items';
  if (faults.strike('answer-lost')) return 'answer-lost';
  return faults.strike('retried-underneath') ? 'retried-underneath' : 'well';
}

function outcomeOf<Value>(act: () => Value): Outcome<Value> {
  try {
    return { kind: 'answer', value: act() };
  } catch (error) {
    return { kind: 'error', error };
  }
}

function unavailable(cause: DrawnFault): UnavailableError {
  return new UnavailableError('store-unavailable', `The simulation: ${cause}.`);
}
