/** The undelivered entries of one audience, by order. Of an order one entry at a time is delivered. */
import type { OrderId } from '#core/model/ids.ts';

/** See {@link orderBacklogs}. */
export interface OrderBacklogs<Entry> {
  /** True when the order had none before. */
  add(orderId: OrderId, entry: Entry): boolean;
  /** The entry to deliver. */
  next(orderId: OrderId): Entry | undefined;
  /** Its next entry was delivered. True when the order has another one. */
  delivered(orderId: OrderId): boolean;
  /** The channel refused its next entry. Returns how often it did so. */
  refused(orderId: OrderId): number;
  /** How many entries there are, without those of orders whose next one was refused: these delay no other. */
  waiting(): number;
}

interface Backlog<Entry> {
  readonly entries: Entry[];
  refusals: number;
}

/** Makes an empty one. */
export function orderBacklogs<Entry>(): OrderBacklogs<Entry> {
  const orders = new Map<OrderId, Backlog<Entry>>();
  let waiting = 0;

  return {
    add(orderId, entry) {
      const known = orders.get(orderId);
      if (known === undefined) orders.set(orderId, { entries: [entry], refusals: 0 });
      else known.entries.push(entry);
      if (known === undefined || known.refusals === 0) waiting += 1;
      return known === undefined;
    },
    next: (orderId) => orders.get(orderId)?.entries[0],
    delivered(orderId) {
      const backlog = orders.get(orderId);
      if (backlog === undefined) return false;
      if (backlog.refusals > 0) waiting += backlog.entries.length;
      backlog.refusals = 0;
      backlog.entries.shift();
      waiting -= 1;
      const hasMore = backlog.entries.length > 0;
      if (!hasMore) orders.delete(orderId);
      return hasMore;
    },
    refused(orderId) {
      const backlog = orders.get(orderId);
      if (backlog === undefined) return 0;
      if (backlog.refusals === 0) waiting -= backlog.entries.length;
      backlog.refusals += 1;
      return backlog.refusals;
    },
    waiting: () => waiting,
  };
}
