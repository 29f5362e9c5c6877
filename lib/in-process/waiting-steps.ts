/** The held steps that wait for one agent, and who of them is next: shared fairly between classes and tenants (R24). */
import { fairQueue } from '#core/flow/fair-queue.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Clock } from '#ports/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { probedSteps } from './probed-steps.ts';
import type { TenantWeights } from './tenant-weights.ts';

/** Options of {@link waitingSteps}. */
export interface WaitingStepsOptions {
  /** Whether the agent has a slot for one more step. */
  readonly hasSlot: () => boolean;
  readonly circuit: Pick<
    CircuitBreaker,
    'admits' | 'admitsAt' | 'unsent' | 'state' | 'takeFailedProbe'
  >;
  readonly weights: TenantWeights;
  /** Asks for a claim of an order that has a slot now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly clock: Clock;
}

/** See {@link waitingSteps}. */
export interface WaitingSteps {
  size(): number;
  /** Whether one of them would go on now, if the agent had a slot and admitted it. */
  hasNext(): boolean;
  /**
   * A step that waits already keeps its position, unless its order has another priority: then it waits in its new class.
   *
   * @param since since when the step has been held, ms since the epoch
   */
  add(step: string, nudge: Nudge, since: number): void;
  /** A step that has had its turn, and could not go on then: it is before the others of its class and tenant. */
  addFirst(step: string, nudge: Nudge): void;
  /** The step waits no more. Returns whether a slot was reserved for it, which is free again. */
  remove(step: string): boolean;
  /** Whether a slot was reserved for the step, which has taken it now. */
  take(step: string): boolean;
  /** Whether the service fails and no probe is due: a step that waits does not go on soon. */
  isBarred(): boolean;
  /** The slots that are reserved for steps. */
  reserved(): number;
  /** Gives free slots to those that wait; call it whenever a slot may have become free. */
  fill(): void;
  close(): void;
}

/** How long a slot is kept for an order that was nudged, ms: a claim takes milliseconds. */
const reservedMs = 10_000;

/** Makes an empty list of waiting steps. */
export function waitingSteps(options: WaitingStepsOptions): WaitingSteps {
  const { hasSlot, circuit, weights, nudge, clock } = options;
  const waiting = fairQueue<string, Nudge>({ weightOf: weights.of });
  weights.watch(waiting.reweigh);
  const probed = probedSteps(clock);
  const reserved = reservations(clock, (step, message) => {
    circuit.unsent(step);
    // Its order is still held, so the step waits again, behind the others.
    waiting.add(step, message, message);
    fill();
  });
  const timer = earliestTimer(clock, fill);
  let isClosed = false;

  const size = () => waiting.size() + probed.size();
  /** Sends one nudge per order. */
  function fill(): void {
    const nudged = new Set<OrderId>();
    while (!isClosed && size() > 0 && hasSlot()) {
      const admitsAt = circuit.admitsAt();
      // Until a probe ends, nothing can be said; its end fills the slots.
      if (admitsAt === null) return;
      if (admitsAt > clock.now()) return void timer.at(admitsAt);
      letProbeAgain();
      const next = waiting.peek();
      if (next === undefined) return void timer.at(probed.earliest());
      const { key: step, item: message } = next;
      if (!circuit.admits(step)) return;
      waiting.take();
      reserved.add(step, message);
      if (!nudged.has(message.orderId)) nudge(message);
      nudged.add(message.orderId);
    }
  }

  /** Those whose time has come; and all of them once the service answers. Returns whether any step may go on. */
  function letProbeAgain(): boolean {
    const due = isFailing(circuit) ? probed.takeDue() : probed.takeAll();
    for (const [step, message] of due) waiting.add(step, message, message);
    return waiting.size() > 0;
  }

  /** Whether the step waits already; its class may be another one now. */
  function relabelled(step: string, message: Nudge): boolean {
    if (waiting.has(step)) waiting.add(step, message, message);
    return waiting.has(step) || probed.relabel(step, message) || reserved.relabel(step, message);
  }

  return {
    ...{ size, fill, hasNext: letProbeAgain },
    add(step, message, since) {
      const isDelayed = circuit.takeFailedProbe(step);
      if (relabelled(step, message)) return void fill();
      if (isDelayed) probed.add(step, message, since);
      else waiting.add(step, message, message);
      fill();
    },
    addFirst(step, message) {
      if (!relabelled(step, message)) waiting.addFirst(step, message, message);
      fill();
    },
    remove(step) {
      waiting.remove(step);
      probed.remove(step);
      const turn = reserved.takeBack(step);
      if (turn === undefined) return false;
      waiting.giveBack(turn);
      circuit.unsent(step);
      fill();
      return true;
    },
    isBarred: () => isBarred(options),
    take: reserved.take,
    reserved: reserved.size,
    close() {
      isClosed = true;
      timer.cancel();
      reserved.close();
    },
  };
}

const isFailing = (circuit: Pick<CircuitBreaker, 'state'>) =>
  circuit.state() === 'open' || circuit.state() === 'half-open';

function isBarred({
  circuit,
  hasSlot,
  clock,
}: Pick<WaitingStepsOptions, 'circuit' | 'hasSlot' | 'clock'>): boolean {
  if (circuit.state() !== 'open') return false;
  const admitsAt = circuit.admitsAt();
  return !hasSlot() || admitsAt === null || admitsAt > clock.now();
}

interface Reservation {
  nudge: Nudge;
  /** The nudge with whose class and tenant the step had its turn. */
  readonly turn: Nudge;
  readonly cancel: () => void;
}

/** The steps that have a slot until their order is claimed. `onLapse`: called with a step whose order was not. */
function reservations(clock: Clock, onLapse: (step: string, nudge: Nudge) => void) {
  const all = new Map<string, Reservation>();
  /** The turn of the step, if it has a slot; it has none any more. */
  function takeBack(step: string): Nudge | undefined {
    if (all.size === 0) return undefined;
    const own = all.get(step);
    own?.cancel();
    all.delete(step);
    return own?.turn;
  }
  return {
    takeBack,
    take: (step: string) => takeBack(step) !== undefined,
    add(step: string, nudge: Nudge) {
      const cancel = clock.after(reservedMs, () => {
        const lapsed = all.get(step)?.nudge ?? nudge;
        all.delete(step);
        onLapse(step, lapsed);
      });
      all.set(step, { nudge, turn: nudge, cancel });
    },
    /** Whether the step has a slot. If its order is not claimed in time, it waits by this nudge. */
    relabel(step: string, nudge: Nudge): boolean {
      const own = all.get(step);
      if (own !== undefined) own.nudge = nudge;
      return own !== undefined;
    },
    size: () => all.size,
    close() {
      for (const { cancel } of all.values()) cancel();
    },
  };
}

/** One timer, at the earliest of the instants that were asked for. */
function earliestTimer(clock: Clock, work: () => void) {
  const none = { instant: Number.POSITIVE_INFINITY, cancel: () => {} };
  let next = none;
  return {
    at(instant: number) {
      // One that is past is that of a clock which was set ahead: its timer may come much later.
      if (next.instant <= instant && next.instant >= clock.now()) return;
      next.cancel();
      const cancel = clock.after(Math.ceil(instant - clock.now()), () => {
        next = none;
        work();
      });
      next = { instant, cancel };
    },
    cancel: () => next.cancel(),
  };
}
