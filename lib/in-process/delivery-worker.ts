/**
 * What one audience is owed: several orders at once, and of each order one change after the other. What
 * could not be told is tried again until it is told; nothing is given up.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import type { Change } from '#core/model/change.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import { DeliveryError } from '#ports/publisher.ts';

/** For a channel that takes nothing now: when it is back, it is noticed soon. */
const channelBackOff: BackOff = { firstMs: 500, maxMs: 30_000 };
/** For a message that a channel refuses: only a change over there can help. */
const messageBackOff: BackOff = { firstMs: 500, maxMs: 3_600_000 };
/** A channel that asks for more is not obeyed, ms. */
const retryAfterMaxMs = 3_600_000;

/** What is owed; the lane knows its order alone. */
export interface DeliveryEntry {
  readonly change: Change;
}

export interface DeliveryWorkerOptions<Entry extends DeliveryEntry> {
  /** Orders told of at the same time. */
  readonly atOnce: number;
  readonly deliver: (entry: Entry) => Promise<void>;
  readonly failed: (change: Change, error: unknown) => void;
  readonly clock: Clock;
}

export interface DeliveryWorker<Entry extends DeliveryEntry> {
  add(entry: Entry): void;
  stop(): void;
}

interface Backlog<Entry> {
  readonly changes: Entry[];
  refusals: number;
}

export function deliveryWorker<Entry extends DeliveryEntry>({
  atOnce,
  deliver,
  failed,
  clock,
}: DeliveryWorkerOptions<Entry>): DeliveryWorker<Entry> {
  const orders = new Map<OrderId, Backlog<Entry>>();
  /** Those whose turn it is. */
  const ready = new Set<OrderId>();
  const waits = appointments(clock);
  let inFlight = 0;
  /** Of the channel, in a row; while there are any, one order at a time is tried. */
  let failures = 0;
  let isPaused = false;
  let isStopped = false;

  function goOn(): void {
    for (const orderId of ready) {
      if (isStopped || isPaused || inFlight >= (failures === 0 ? atOnce : 1)) return;
      const backlog = orders.get(orderId);
      ready.delete(orderId);
      if (backlog === undefined) continue;
      inFlight += 1;
      void deliverNext(orderId, backlog);
    }
  }

  async function deliverNext(orderId: OrderId, backlog: Backlog<Entry>): Promise<void> {
    const [entry] = backlog.changes;
    try {
      if (entry !== undefined) await deliver(entry);
      delivered(orderId, backlog);
    } catch (error) {
      if (!isStopped) notDelivered(orderId, backlog, error);
      if (!isStopped && entry !== undefined) failed(entry.change, error);
    }
    inFlight -= 1;
    goOn();
  }

  function delivered(orderId: OrderId, backlog: Backlog<Entry>): void {
    failures = 0;
    backlog.refusals = 0;
    backlog.changes.shift();
    if (backlog.changes.length === 0) orders.delete(orderId);
    else ready.add(orderId);
  }

  function notDelivered(orderId: OrderId, backlog: Backlog<Entry>, error: unknown): void {
    if (error instanceof DeliveryError && error.of === 'message') {
      failures = 0;
      backlog.refusals += 1;
      waits.after(backOffWindowMs(messageBackOff, backlog.refusals), () => {
        ready.add(orderId);
        goOn();
      });
      return;
    }
    // Last in turn: one that fails for itself holds up no other for long.
    ready.add(orderId);
    if (isPaused) return;
    const asked = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
    failures += 1;
    isPaused = true;
    const pauseMs = backOffWindowMs(channelBackOff, failures);
    waits.after(Math.max(pauseMs, Math.min(asked, retryAfterMaxMs)), () => {
      isPaused = false;
      goOn();
    });
  }

  return {
    add(entry) {
      const { orderId } = entry.change;
      const backlog = orders.get(orderId);
      if (backlog !== undefined) {
        backlog.changes.push(entry);
        return;
      }
      orders.set(orderId, { changes: [entry], refusals: 0 });
      ready.add(orderId);
      goOn();
    },
    stop() {
      isStopped = true;
      waits.cancel();
    },
  };
}

/** Waits that all end with what they are for: nothing keeps a stopped process from its end. */
function appointments(clock: Clock) {
  const open = new Set<() => void>();
  return {
    after(ms: number, work: () => void): void {
      const cancel = clock.after(ms, () => {
        open.delete(cancel);
        work();
      });
      open.add(cancel);
    },
    cancel(): void {
      for (const cancel of open) cancel();
    },
  };
}
