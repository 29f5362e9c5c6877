/**
 * Delivers the changes for one audience: several orders at once, and the changes of each order in sequence. A failed
 * delivery is retried until it succeeds.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import type { Change } from '#core/model/change.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { type OrderBacklogs, orderBacklogs } from './order-backlogs.ts';

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
  /** Called after each delivery, successful or not. */
  readonly settled: () => void;
  readonly clock: Clock;
}

/** Delivers entries in the background. */
export interface DeliveryWorker<Entry extends DeliveryEntry> {
  add(entry: Entry): void;
  /** As {@link OrderBacklogs.waiting}. */
  readonly waiting: OrderBacklogs<Entry>['waiting'];
  stop(): void;
}

/** Makes the delivery worker of one audience. */
export function deliveryWorker<Entry extends DeliveryEntry>(
  options: DeliveryWorkerOptions<Entry>,
): DeliveryWorker<Entry> {
  const { atOnce, deliver, failed, settled, clock } = options;
  const backlogs = orderBacklogs<Entry>();
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
      const entry = backlogs.next(orderId);
      ready.delete(orderId);
      if (entry === undefined) continue;
      inFlight += 1;
      void deliverNext(orderId, entry);
    }
  }

  async function deliverNext(orderId: OrderId, entry: Entry): Promise<void> {
    try {
      await deliver(entry);
      failures = 0;
      if (backlogs.delivered(orderId)) ready.add(orderId);
    } catch (error) {
      if (!isStopped) notDelivered(orderId, error);
      if (!isStopped) failed(entry.change, error);
    }
    inFlight -= 1;
    settled();
    deliverReady();
  }

  function notDelivered(orderId: OrderId, error: unknown): void {
    if (error instanceof DeliveryError && error.of === 'message') {
      failures = 0;
      timers.after(backOffWindowMs(messageBackOff, backlogs.refused(orderId)), () => {
        ready.add(orderId);
        deliverReady();
      });
      return;
    }
    // At the end of the queue, so that an order whose deliveries always fail does not block the others.
    ready.add(orderId);
    if (isPaused) return;
    failures += 1;
    isPaused = true;
    timers.after(pauseMs(error, failures), () => {
      isPaused = false;
      deliverReady();
    });
  }

  return {
    add(entry) {
      const { orderId } = entry.change;
      if (!backlogs.add(orderId, entry)) return;
      ready.add(orderId);
      deliverReady();
    },
    waiting: backlogs.waiting,
    stop() {
      isStopped = true;
      timers.cancel();
    },
  };
}

/** How long a channel gets no message after so many failures, ms. */
function pauseMs(error: unknown, failures: number): number {
  const askedMs = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(backOffWindowMs(channelBackOff, failures), Math.min(askedMs, retryAfterMaxMs));
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
