/**
 * Delivers the changes for one audience: several orders at once, and the changes of each order in sequence. A failed
 * delivery is retried until it succeeds.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import type { Change } from '#core/model/change.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import { DeliveryError } from '#ports/publisher.ts';

/** For a channel that accepts no message: short, so that its recovery is detected soon. */
const channelBackOff: BackOff = { firstMs: 500, maxMs: 30_000 };
/** For a message that a channel refuses: only a change of its receiver can help. */
const messageBackOff: BackOff = { firstMs: 500, maxMs: 3_600_000 };
/** The longest delay that a channel may ask for, ms. */
const retryAfterMaxMs = 3_600_000;

/** An undelivered change. */
export interface DeliveryEntry {
  readonly change: Change;
}

/** Options of {@link deliveryWorker}. */
export interface DeliveryWorkerOptions<Entry extends DeliveryEntry> {
  /** Orders with a delivery in flight at the same time, at most. */
  readonly atOnce: number;
  readonly deliver: (entry: Entry) => Promise<void>;
  readonly failed: (change: Change, error: unknown) => void;
  readonly clock: Clock;
}

/** Delivers entries in the background. */
export interface DeliveryWorker<Entry extends DeliveryEntry> {
  add(entry: Entry): void;
  stop(): void;
}

interface Backlog<Entry> {
  readonly changes: Entry[];
  refusals: number;
}

/** Makes the delivery worker of one audience. */
export function deliveryWorker<Entry extends DeliveryEntry>({
  atOnce,
  deliver,
  failed,
  clock,
}: DeliveryWorkerOptions<Entry>): DeliveryWorker<Entry> {
  const orders = new Map<OrderId, Backlog<Entry>>();
  /** Orders whose next change may be delivered now. */
  const ready = new Set<OrderId>();
  const timers = timersOn(clock);
  let inFlight = 0;
  /** Consecutive failures of the channel; while there are any, one delivery is tried at a time. */
  let failures = 0;
  let isPaused = false;
  let isStopped = false;

  function deliverReady(): void {
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
    deliverReady();
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
      timers.after(backOffWindowMs(messageBackOff, backlog.refusals), () => {
        ready.add(orderId);
        deliverReady();
      });
      return;
    }
    // At the end of the queue, so that an order whose deliveries always fail does not block the others.
    ready.add(orderId);
    if (isPaused) return;
    const askedMs = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
    failures += 1;
    isPaused = true;
    const pauseMs = backOffWindowMs(channelBackOff, failures);
    timers.after(Math.max(pauseMs, Math.min(askedMs, retryAfterMaxMs)), () => {
      isPaused = false;
      deliverReady();
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
      deliverReady();
    },
    stop() {
      isStopped = true;
      timers.cancel();
    },
  };
}

/** Timers that can be cancelled together, so that none keeps a stopped process alive. */
function timersOn(clock: Clock) {
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
