/**
 * The room of one agent of this process: how many calls it makes at once, and whether its service answers. A request is
 * sent only when its call is expected to begin at once, so that no time in a queue counts towards its deadline. Other
 * steps are held.
 */
import type { Grant } from '#core/model/grant.ts';
import { limits } from '#core/model/limits.ts';
import { type Nudge, nudgeOf, type Request } from '#core/model/message.ts';
import type { Held, ProcessRecord, StepRecord } from '#core/model/record.ts';
import type { Breaker, Refusal } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import { beginLine } from './begin-line.ts';
import { circuitBreaker, stepKey } from './circuit-breaker.ts';
import type { TenantWeights } from './tenant-weights.ts';
import { waitingSteps } from './waiting-steps.ts';

/** Options of {@link agentRoom}. */
export interface AgentRoomOptions {
  /** The calls that the agent makes at once. */
  readonly callsMax: number;
  /** Asks for a claim of an order that has a place now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly weights: TenantWeights;
  readonly clock: Clock;
}

/** The gate of one agent, and the breaker of its runner. */
export interface AgentRoom extends Breaker {
  /** A start grant takes a place, until `release` or the end of the attempt. */
  ask(request: Request): Grant;
  /** The requests will not be sent. */
  release(requests: readonly Request[]): void;
  /** The stored record holds the step: it gets a place when there is one. */
  hold(record: ProcessRecord, step: StepRecord, held: Held): void;
  /** The stored record holds the step no more. */
  forget(record: ProcessRecord, step: StepRecord): void;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the room of one agent. */
export function agentRoom({ callsMax, clock, ...options }: AgentRoomOptions): AgentRoom {
  /** The attempts that have a place. */
  const taken = new Set<string>();
  const line = beginLine(callsMax, clock);
  const circuit = circuitBreaker(clock, () => waiting.fill());
  const hasPlace = (): boolean => taken.size + waiting.reserved() < callsMax + line.ahead();
  const waiting = waitingSteps({ ...options, hasPlace, circuit, clock });

  function release(requests: readonly Request[]): void {
    const own = requests.filter((request) => taken.delete(attemptKey(request)));
    for (const request of own) circuit.withoutCall(stepKey(request));
    if (own.length > 0) waiting.fill();
  }

  return {
    ask(request) {
      const step = stepKey(request);
      const mayStart =
        waiting.take(step) || (waiting.isEmpty() && hasPlace() && circuit.admits(step));
      const nowMs = clock.now();
      if (!mayStart) {
        const gate = circuit.state() === 'closed' ? 'room' : 'circuit';
        return { kind: 'hold', gate, until: nowMs + limits.holdLookMaxMs };
      }
      taken.add(attemptKey(request));
      return { kind: 'start', startAt: nowMs };
    },
    release,
    hold(record, { name }, { since }) {
      waiting.add(stepKey({ orderId: record.orderId, step: name }), nudgeOf(record), since);
    },
    forget: ({ orderId }, { name }) => waiting.remove(stepKey({ orderId, step: name })),
    async begin(request) {
      if (await line.turn(request)) return null;
      release([request]);
      return refusal('room');
    },
    admit: (request) => circuit.call(request) ?? refusal('circuit'),
    end(request) {
      line.end(request);
      release([request]);
    },
    state: circuit.state,
    close() {
      line.close();
      waiting.close();
    },
  };
}

/** A nudge comes when the agent has a place; this is only the fallback. */
const refusal = (gate: Refusal['gate']): Refusal => ({ gate, retryAfterMs: limits.holdLookMaxMs });

const attemptKey = (request: Request) => `${stepKey(request)} ${request.attempt}`;
