/**
 * The gate of one agent of this process: how many calls it makes at once, and whether its service answers. A request is
 * sent only when its call is expected to begin at once, so that no time in a queue counts towards its deadline. Other
 * steps are held.
 */
import type { Hold } from '#core/model/hold.ts';
import { type IdempotencyKey, idempotencyKey } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type Nudge, nudgeOf, type Request } from '#core/model/message.ts';
import { type Held, nextAction, type ProcessRecord, type StepRecord } from '#core/model/record.ts';
import type { Breaker, Refusal } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import { beginQueue } from './begin-queue.ts';
import { type CircuitStatus, circuitBreaker } from './circuit-breaker.ts';
import { type CircuitEvent, circuitWatch } from './circuit-watch.ts';
import type { TenantWeights } from './tenant-weights.ts';
import { type WaitingSteps, waitingSteps } from './waiting-steps.ts';

/** Options of {@link agentGate}. */
export interface AgentGateOptions {
  readonly agent: string;
  /** The calls that the agent makes at once. */
  readonly concurrency: number;
  /** Asks for a claim of an order that has a slot now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly weights: TenantWeights;
  /** The steps that wait for any member of a pool of the agent, or of a group. Default: none. */
  readonly pools?: readonly Pick<WaitingSteps, 'size' | 'fill'>[];
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
  /** Lends a slot to a step that waits for any member of a pool; false when there is none, or its circuit admits no call. */
  lend(step: string): boolean;
  /** The step does not use the slot. */
  takeBack(step: string): void;
  /** The earliest instant at which a slot can be lent; null: not before a call ends. */
  lendsAt(): number | null;
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
  pools = [],
  ...options
}: AgentGateOptions): AgentGate {
  /** The requests that have a slot. */
  const taken = new Set<Request>();
  /** The steps of pools that have a slot, until their orders are claimed. */
  const lent = new Set<string>();
  const queue = beginQueue(concurrency, clock);
  const circuit = circuitBreaker(clock, () => {
    watch.look();
    fill();
  });
  // Steps that wait for this agent alone are the probes of its circuit.
  const mayLend = () => hasSlot() && (waiting.size() === 0 || circuit.state() === 'closed');
  const hasSlot = (): boolean =>
    taken.size + waiting.reserved() + lent.size < concurrency + queue.ahead();
  const waiting = waitingSteps({ ...options, hasSlot, circuit, clock });
  const watch = circuitWatch({ agent, circuit, held: waiting.size, onCircuit, clock });
  const sources = [waiting, ...pools];
  let turn = 0;

  /** Those that wait for this agent and those that wait for any member of each of its pools are first in turn. */
  function fill(): void {
    const waited = sources.filter((source) => source.size() > 0);
    turn = (turn + 1) % Math.max(1, waited.length);
    for (const source of [...waited.slice(turn), ...waited.slice(0, turn)]) source.fill();
  }

  /** A request that was delivered twice has its slot only once. */
  function release(requests: readonly Request[]): void {
    const own = requests.filter((request) => taken.delete(request));
    for (const { idempotencyKey: step } of own) circuit.withoutCall(step);
    if (own.length > 0) fill();
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
        waiting.take(step) ||
        lent.delete(step) ||
        (sources.every((source) => source.size() === 0) && hasSlot() && circuit.admits(step));
      if (!mayStart) {
        const gate = circuit.state() === 'closed' ? 'concurrency' : 'circuit';
        return { gate, until: clock.now() + limits.holdLookMaxMs };
      }
      taken.add(request);
      return null;
    },
    release,
    ...waitingIn(waiting),
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
    lend(step) {
      if (!mayLend() || !circuit.admits(step)) return false;
      lent.add(step);
      return true;
    },
    takeBack(step) {
      if (!lent.delete(step)) return;
      circuit.withoutCall(step);
      fill();
    },
    lendsAt: () => (mayLend() ? circuit.admitsAt() : null),
    circuit: circuit.status,
    close() {
      watch.close();
      queue.close();
      waiting.close();
    },
  };
}

/** Lets stored records say which steps wait. */
export const waitingIn = (waiting: WaitingSteps): Pick<AgentGate, 'hold' | 'forget'> => ({
  hold: (record, step, { since }) => waiting.add(keyOf(record, step), nudgeOf(record), since),
  forget: (record, step) => waiting.remove(keyOf(record, step)),
});

const begun = Promise.resolve(null);

/** A nudge comes when the agent has a slot; this is only the fallback. */
const refusal = (gate: Refusal['gate']): Refusal => ({ gate, retryAfterMs: limits.holdLookMaxMs });

/** The idempotency key of the request that the held step waits to send. */
export const keyOf = (record: ProcessRecord, step: StepRecord): IdempotencyKey =>
  idempotencyKey(record.orderId, step.name, nextAction(record, step), step.keyGeneration);
