/**
 * Live orders in memory. Safe because this process is the only writer (sqlite-store.ts) and because
 * nothing reads between a write and its commit.
 */
import type { OrderId } from '#core/ids.ts';
import type { Order, ProcessRecord } from '#core/record.ts';
import { orderOf, recordOf, rowOf } from './rows.ts';
import type { Statements } from './statements.ts';

export interface Entry {
  readonly order: Order;
  readonly record: ProcessRecord;
}

export interface RecordCache {
  /** From memory, or else from the tables. */
  get(orderId: OrderId): Entry | undefined;
  keep(entry: Entry): void;
  clear(): void;
}

/**
 * Keeps about `max` live orders, in two generations: when the younger is full it becomes the older, and
 * what nobody asked for since then is gone. (Taking single entries out of a Map in the order they came
 * makes it walk over all the gaps they left.)
 */
export function recordCache(sql: Statements, max: number): RecordCache {
  let young = new Map<OrderId, Entry>();
  let old = new Map<OrderId, Entry>();

  function keep(entry: Entry): void {
    const { orderId, processState } = entry.record;
    if (processState === 'Processed' || processState === 'Undone') {
      young.delete(orderId);
      old.delete(orderId);
      return;
    }
    if (young.size >= max / 2) {
      old = young;
      young = new Map();
    }
    young.set(orderId, entry);
  }

  return {
    keep,
    clear() {
      young.clear();
      old.clear();
    },
    get(orderId) {
      const hit = young.get(orderId) ?? old.get(orderId);
      if (hit !== undefined) return hit;
      const record = rowOf(() => sql.record.get(orderId));
      const order = rowOf(() => sql.order.get(orderId));
      if (record === undefined || order === undefined) return undefined;
      const entry = { record: recordOf(record), order: orderOf(order) };
      keep(entry);
      return entry;
    },
  };
}
