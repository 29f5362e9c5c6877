/**
 * The gate of one agent of this process: how many calls it makes at once, and whether its service answers. A request is
 * sent only when its call is expected to begin at once, so that no time in a queue counts towards its deadline. Other
 * steps are held.
 */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { GateOfAgent, Hold } from '#core/model/hold.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge, Request } from '#core/model/message.ts';
import type { ImmediateBreaker, Refusal } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import { beginQueue } from './begin-queue.ts';
import { type CircuitBreaker, type CircuitStatus, circuitBreaker } from './circuit-breaker.ts';
import { type CircuitEvent, circuitWatch } from './circuit-watch.ts';
import { type AmountOf, type Lead, lead, type Room } from './limits/limit-bucket.ts';
import { type LimitedCalls, limitedCalls } from './limits/limited-calls.ts';
import { type SlotLoans, slotLoans } from './pools/slot-loans.ts';
import type { TenantWeights } from './tenant-weights.ts';
import { waitingSources } from './waiting-sources.ts';
import { type WaitingSteps, type WaitingStepsOptions, waitingSteps } from './waiting-steps.ts';

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
  /** Limits of all its calls. Default: none. */
  readonly limits?: readonly AgentLimit[];
  /** How much they allow now. Default: as they are defined. */
  readonly amountOf?: AmountOf;
  /** Default: that of its calls alone. */
  readonly lead?: Lead;
  /** The circuit of the agent opened, or is closed again. */
  readonly onCircuit: (event: CircuitEvent) => void;
  /** Its circuit is open, as after each failed probe. */
  readonly onOpen: () => void;
  readonly clock: Clock;
}

/** Where steps wait, by the idempotency keys of the requests that they wait to send. */
export interface HeldIn {
  /**
   * The stored record holds the step: it gets a slot when there is one.
   *
   * @param since since when it has been held, ms since the epoch; `turned`: it has had its turn, and is before the others of its class and tenant
   */
  hold(step: string, nudge: Nudge, since: number | 'turned'): void;
  /** The step was held in the last record, and is not in this one. Returns whether it had a slot. */
  forget(step: string): boolean;
  /** See {@link WaitingSteps}. */
  isBarred(): boolean;
}

/** The gate of one agent, and the breaker of its runner. */
export interface AgentGate extends ImmediateBreaker, HeldIn {
  /**
   * Null: the request has a slot, until `release` or the end of its attempt.
   *
   * @param keyed where the step has room besides, which is the call's from then on. Default: nowhere
   */
  ask(request: Request, keyed?: () => readonly Room[]): Hold | null;
  /** The requests will not be sent. */
  release(requests: readonly Request[]): void;
  /** For the steps that wait for any member of a pool. */
  readonly loans: SlotLoans;
  /** The circuit of its service. */
  circuit(): CircuitStatus;
  /** See {@link CircuitBreaker.inherit}. */
  inherit(since: number): void;
  /** See {@link CircuitBreaker.takeFailedProbe}. */
  takeFailedProbe(step: string): boolean;
  /** How many more calls it can begin now. */
  room(): number;
  /** Lets steps go on that wait: call it when a limit allows more than before. */
  fill(): void;
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
  limits: own = [],
  lead: ahead = lead(),
  ...options
}: AgentGateOptions): AgentGate {
  /** The requests that have a slot. */
  const taken = new Set<Request>();
  const queue = beginQueue(concurrency, clock);
  const circuit = circuitBreaker(clock, () => {
    if (circuit.state() === 'open') options.onOpen();
    watch.look();
    sources.fill();
  });
  const calls = limitedCalls({ ...options, limits: own, lead: ahead, clock });
  const admission = withRoom(circuit, calls, clock);
  const loans = slotLoans({
    // Steps that wait for this agent alone are the probes of its circuit, unless each of them has been one lately.
    mayLend: () => hasSlot() && (circuit.state() === 'closed' || !waiting.hasNext()),
    admission,
    onReturn: () => sources.fill(),
  });
  const inUse = (): number => taken.size + waiting.reserved() + loans.size();
  const hasSlot = (): boolean => inUse() < concurrency + queue.ahead();
  const waiting = waitingSteps({ ...options, hasSlot, circuit: admission, clock });
  const watch = circuitWatch({ agent, circuit, held: waiting.size, onCircuit, clock });
  const sources = waitingSources([waiting, ...pools]);

  /** A request that was delivered twice has its slot only once. `after`: what the circuit learns of its step. */
  function free(requests: readonly Request[], after: (step: string) => void): void {
    const before = taken.size;
    for (const request of requests) {
      if (!taken.delete(request)) continue;
      after(request.idempotencyKey);
      calls.end(request);
    }
    if (taken.size < before) sources.fill();
  }

  const closedGate = (): GateOfAgent => {
    if (circuit.state() !== 'closed') return 'circuit';
    return hasSlot() && own.length > 0 ? 'limit' : 'concurrency';
  };
  async function begunIn(request: Request, turn: boolean | Promise<boolean>) {
    if (await turn) {
      calls.begin(request);
      return null;
    }
    free([request], circuit.unsent);
    return refusal('concurrency');
  }

  return {
    ask(request, keyed = noBuckets) {
      const { idempotencyKey: step } = request;
      const mayStart =
        waiting.take(step) ||
        loans.take(step) ||
        (sources.isEmpty() && hasSlot() && admission.admits(step));
      if (!mayStart) return { gate: closedGate(), until: clock.now() + limits.holdLookMaxMs };
      taken.add(request);
      calls.start(request, keyed());
      return null;
    },
    release: (requests) => free(requests, circuit.unsent),
    ...{ ...waitingIn(waiting, sources.fill), ...seenOf(circuit), loans, fill: sources.fill },
    begin(request) {
      const turn = queue.turn(request);
      if (turn !== true) return begunIn(request, turn);
      calls.begin(request);
      return null;
    },
    admit: (request, completeBy = request.completeBy) =>
      (circuit.state() === 'open' ? null : calls.refusal(request, completeBy)) ??
      circuit.call(request) ??
      refusal('circuit'),
    end(request) {
      queue.end(request);
      free([request], circuit.ended);
    },
    room: () => Math.max(0, concurrency - inUse()),
    close() {
      watch.close();
      queue.close();
      waiting.close();
    },
  };
}

/** The part of the circuit that others than its gate use. */
const seenOf = ({ state, status, inherit, takeFailedProbe }: CircuitBreaker) => ({
  ...{ state, circuit: status, inherit, takeFailedProbe },
});

/** A circuit that admits a step only with room in the limits of its agent, which the step has from then on. */
const withRoom = (
  circuit: CircuitBreaker,
  calls: LimitedCalls,
  clock: Clock,
): WaitingStepsOptions['circuit'] => ({
  admitsAt() {
    const from = circuit.admitsAt();
    const room = calls.freeAt();
    return from === null || room === null ? null : Math.max(from, room);
  },
  admits(step) {
    const room = calls.freeAt();
    const mayCall = room !== null && room <= clock.now() && circuit.admits(step);
    if (mayCall) calls.reserve();
    return mayCall;
  },
  unsent(step) {
    circuit.unsent(step);
    calls.giveBack();
  },
  state: circuit.state,
  takeFailedProbe: circuit.takeFailedProbe,
});

const noBuckets = () => [];

/**
 * Where steps wait that stored records hold.
 *
 * @param onLess fewer of them wait: the slot of a step, or the next probe, may be that of one in another list. Default: there is none
 */
export const waitingIn = (waiting: WaitingSteps, onLess: () => void = () => {}): HeldIn => ({
  hold(step, nudge, since) {
    if (since === 'turned') waiting.addFirst(step, nudge);
    else waiting.add(step, nudge, since);
  },
  forget(step) {
    const count = () => waiting.size() + waiting.reserved();
    const before = count();
    const hadSlot = waiting.remove(step);
    if (count() < before) onLess();
    return hadSlot;
  },
  isBarred: waiting.isBarred,
});

/** A nudge comes when the agent has a slot; this is only the fallback. */
const refusal = (gate: Refusal['gate']): Refusal => ({ gate, retryAfterMs: limits.holdLookMaxMs });
