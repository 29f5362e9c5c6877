/**
 * The room of one agent of this process: how many calls it makes at once, and whether its service answers. A request is
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
import { beginLine } from './begin-line.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type CircuitEvent, circuitWatch } from './circuit-watch.ts';
import type { TenantWeights } from './tenant-weights.ts';
import { waitingSteps } from './waiting-steps.ts';

/** Options of {@link agentRoom}. */
export interface AgentRoomOptions {
  readonly agent: string;
  /** The calls that the agent makes at once. */
  readonly callsMax: number;
  /** Asks for a claim of an order that has a place now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly weights: TenantWeights;
  /** The service of the agent becomes unavailable, or is well again. */
  readonly onEvent: (event: CircuitEvent) => void;
  readonly clock: Clock;
}

/** The gate of one agent, and the breaker of its runner. */
export interface AgentRoom extends Breaker {
  /** Null: the request has a place, until `release` or the end of its attempt. */
  ask(request: Request): Hold | null;
  /** The requests will not be sent. */
  release(requests: readonly Request[]): void;
  /** The stored record holds the step: it gets a place when there is one. */
  hold(record: ProcessRecord, step: StepRecord, held: Held): void;
  /** The step was held in this record, and is not in the next one. */
  forget(record: ProcessRecord, step: StepRecord): void;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the room of one agent. */
export function agentRoom({
  agent,
  callsMax,
  onEvent,
  clock,
  ...options
}: AgentRoomOptions): AgentRoom {
  /** The requests that have a place. */
  const taken = new Set<Request>();
  const line = beginLine(callsMax, clock);
  const circuit = circuitBreaker(clock, () => {
    watch.look();
    waiting.fill();
  });
  const hasPlace = (): boolean => taken.size + waiting.reserved() < callsMax + line.ahead();
  const waiting = waitingSteps({ ...options, hasPlace, circuit, clock });
  const watch = circuitWatch({ agent, circuit: () => circuit, held: waiting.size, onEvent, clock });

  function release(requests: readonly Request[]): void {
    const own = requests.filter((request) => taken.delete(request));
    for (const { idempotencyKey: step } of own) circuit.withoutCall(step);
    if (own.length > 0) waiting.fill();
  }

  /** A request that was delivered twice has its place only once. */
  function leave(request: Request): void {
    if (!taken.delete(request)) return;
    circuit.withoutCall(request.idempotencyKey);
    waiting.fill();
  }

  async function begunIn(request: Request, turn: boolean | Promise<boolean>) {
    if (await turn) return null;
    leave(request);
    return refusal('room');
  }

  return {
    ask(request) {
      const { idempotencyKey: step } = request;
      const mayStart =
        waiting.take(step) || (waiting.size() === 0 && hasPlace() && circuit.admits(step));
      if (!mayStart) {
        const gate = circuit.state() === 'closed' ? 'room' : 'circuit';
        return { gate, until: clock.now() + limits.holdLookMaxMs };
      }
      taken.add(request);
      return null;
    },
    release,
    hold: (record, step, { since }) => waiting.add(keyOf(record, step), nudgeOf(record), since),
    forget: (record, step) => waiting.remove(keyOf(record, step)),
    begin(request) {
      const turn = line.turn(request);
      return turn === true ? begun : begunIn(request, turn);
    },
    admit: (request) => circuit.call(request) ?? refusal('circuit'),
    end(request) {
      line.end(request);
      leave(request);
    },
    state: circuit.state,
    close() {
      watch.close();
      line.close();
      waiting.close();
    },
  };
}

/** A nudge comes when the agent has a place; this is only the fallback. */
const refusal = (gate: Refusal['gate']): Refusal => ({ gate, retryAfterMs: limits.holdLookMaxMs });

const begun = Promise.resolve(null);

/** The idempotency key of the request that the held step waits to send. */
const keyOf = ({ orderId, direction }: ProcessRecord, { name, keyGeneration }: StepRecord) =>
  idempotencyKey(orderId, name, direction === 'undo' ? 'undo' : 'perform', keyGeneration);
