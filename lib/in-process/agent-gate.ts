/**
 * The gate of one agent of this process: how many calls it makes at once, and whether its service answers. A request is
 * sent only when its call is expected to begin at once, so that no time in a queue counts towards its deadline. Other
 * steps are held.
 */
import type { Hold } from '#core/model/hold.ts';
import { idempotencyKey } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type Nudge, nudgeOf, type Request } from '#core/model/message.ts';
import type { Held, ProcessRecord, StepRecord } from '#core/model/record.ts';
import type { Breaker, Refusal } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import { beginQueue } from './begin-queue.ts';
import { type CircuitStatus, circuitBreaker } from './circuit-breaker.ts';
import { type CircuitEvent, circuitWatch } from './circuit-watch.ts';
import type { TenantWeights } from './tenant-weights.ts';
import { waitingSteps } from './waiting-steps.ts';

/** Options of {@link agentGate}. */
export interface AgentGateOptions {
  readonly agent: string;
  /** The calls that the agent makes at once. */
  readonly concurrency: number;
  /** Asks for a claim of an order that has a slot now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly weights: TenantWeights;
  /** The circuit of the agent opened, or is closed again. */
  readonly onCircuit: (event: CircuitEvent) => void;
  readonly clock: Clock;
}

/** The gate of one agent, and the breaker of its runner. */
export interface AgentGate extends Breaker {
  /** Null: the request has a slot, until `release` or the end of its attempt. */
  ask(request: Request): Hold | null;
  /** The requests will not be sent. */
  release(requests: readonly Request[]): void;
  /** The stored record holds the step: it gets a slot when there is one. */
  hold(record: ProcessRecord, step: StepRecord, held: Held): void;
  /** The step was held in this record, and is not in the next one. */
  forget(record: ProcessRecord, step: StepRecord): void;
  /** The circuit of its service. */
  circuit(): CircuitStatus;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the gate of one agent. */
export function agentGate({
  agent,
  concurrency,
  onCircuit,
  clock,
  ...options
}: AgentGateOptions): AgentGate {
  /** The requests that have a slot. */
  const taken = new Set<Request>();
  const queue = beginQueue(concurrency, clock);
  const circuit = circuitBreaker(clock, () => {
    watch.look();
    waiting.fill();
  });
  const hasSlot = (): boolean => taken.size + waiting.reserved() < concurrency + queue.ahead();
  const waiting = waitingSteps({ ...options, hasSlot, circuit, clock });
  const watch = circuitWatch({ agent, circuit, held: waiting.size, onCircuit, clock });

  /** A request that was delivered twice has its slot only once. */
  function release(requests: readonly Request[]): void {
    const own = requests.filter((request) => taken.delete(request));
    for (const { idempotencyKey: step } of own) circuit.withoutCall(step);
    if (own.length > 0) waiting.fill();
  }

  async function begunIn(request: Request, turn: boolean | Promise<boolean>) {
    if (await turn) return null;
    release([request]);
    return refusal('concurrency');
  }

  return {
    ask(request) {
      const { idempotencyKey: step } = request;
      const mayStart =
        waiting.take(step) || (waiting.size() === 0 && hasSlot() && circuit.admits(step));
      if (!mayStart) {
        const gate = circuit.state() === 'closed' ? 'concurrency' : 'circuit';
        return { gate, until: clock.now() + limits.holdLookMaxMs };
      }
      taken.add(request);
      return null;
    },
    release,
    hold: (record, step, { since }) => waiting.add(keyOf(record, step), nudgeOf(record), since),
    forget: (record, step) => waiting.remove(keyOf(record, step)),
    begin(request) {
      const turn = queue.turn(request);
      return turn === true ? begun : begunIn(request, turn);
    },
    admit: (request) => circuit.call(request) ?? refusal('circuit'),
    end(request) {
      queue.end(request);
      release([request]);
    },
    state: circuit.state,
    circuit: circuit.status,
    close() {
      watch.close();
      queue.close();
      waiting.close();
    },
  };
}

const begun = Promise.resolve(null);

/** A nudge comes when the agent has a slot; this is only the fallback. */
const refusal = (gate: Refusal['gate']): Refusal => ({ gate, retryAfterMs: limits.holdLookMaxMs });

/** The idempotency key of the request that the held step waits to send. */
const keyOf = ({ orderId, direction }: ProcessRecord, { name, keyGeneration }: StepRecord) =>
  idempotencyKey(orderId, name, direction === 'undo' ? 'undo' : 'perform', keyGeneration);
