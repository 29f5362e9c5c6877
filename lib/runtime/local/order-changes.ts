/** The changes of single orders, as they are committed: one listener of the store serves all who wait for an order. */
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** The changes of one order since the begin of the watch. */
export interface OrderWatch {
  /**
   * The latest revision that was not returned yet, or the next one.
   *
   * @throws {UnavailableError} `store-closed` when Reeve is closed; the reason of the signal, when it aborts
   */
  next(): Promise<ProcessRecord>;
  /** Ends the watch. */
  stop(): void;
}

/** See {@link orderChanges}. */
export interface OrderChanges {
  /** @param signal ends the waits of this watch */
  watch(orderId: OrderId, signal?: AbortSignal): OrderWatch;
  /** Ends all waits. */
  close(): void;
}

interface Waiter {
  latest: ProcessRecord | null;
  /** Called when `latest` is there, or the wait has to end. */
  wake(): void;
}

/** @param watchRecords calls its listener with every committed record; used only while an order is waited for */
export function orderChanges(
  watchRecords: (listener: (record: ProcessRecord) => void) => () => void,
): OrderChanges {
  const waiters = new Map<OrderId, Set<Waiter>>();
  let stopWatch: (() => void) | null = null;
  let isClosed = false;

  const add = (orderId: OrderId, waiter: Waiter) => {
    waiters.set(orderId, (waiters.get(orderId) ?? new Set()).add(waiter));
    stopWatch ??= watchRecords((record) => {
      for (const each of waiters.get(record.orderId) ?? []) {
        each.latest = record;
        each.wake();
      }
    });
  };
  const remove = (orderId: OrderId, waiter: Waiter) => {
    const others = waiters.get(orderId);
    others?.delete(waiter);
    if (others?.size === 0) waiters.delete(orderId);
    if (waiters.size > 0) return;
    stopWatch?.();
    stopWatch = null;
  };

  return {
    watch(orderId, signal) {
      const waiter: Waiter = { latest: null, wake: () => {} };
      const abort = () => waiter.wake();
      signal?.addEventListener('abort', abort);
      add(orderId, waiter);
      return {
        async next() {
          if (waiter.latest === null && !isClosed && signal?.aborted !== true) {
            await new Promise<void>((resolve) => {
              waiter.wake = resolve;
            });
          }
          signal?.throwIfAborted();
          const { latest } = waiter;
          if (latest === null) throw closed();
          waiter.latest = null;
          return latest;
        },
        stop() {
          signal?.removeEventListener('abort', abort);
          remove(orderId, waiter);
        },
      };
    },
    close() {
      isClosed = true;
      for (const each of [...waiters.values()].flatMap((set) => [...set])) each.wake();
    },
  };
}

const closed = () =>
  new UnavailableError('store-closed', 'Reeve was closed while a change of an order was awaited.');
