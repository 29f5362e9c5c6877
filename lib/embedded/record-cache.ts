/**
 * Live orders in memory. Safe because this process is the only writer (sqlite-store.ts) and because
 * nothing reads between a write and its commit.
 */
import type { OrderId } from '#core/ids.ts';
import type { Order, ProcessRecord } from '#core/record.ts';
import { orderOf, recordOf } from './rows.ts';
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

/** Keeps `max` live orders; when full, those kept first leave first. */
export function recordCache(sql: Statements, max: number): RecordCache {
  const entries = new Map<OrderId, Entry>();

  function keep(entry: Entry): void {
    const { orderId, processState } = entry.record;
    if (processState === 'Processed' || processState === 'Undone') {
      entries.delete(orderId);
      return;
    }
    entries.set(orderId, entry);
    if (entries.size <= max) return;
    for (const first of entries.keys()) {
      entries.delete(first);
      break;
    }
  }

  return {
    keep,
    clear: () => entries.clear(),
    get(orderId) {
      const hit = entries.get(orderId);
      if (hit !== undefined) return hit;
      const record = sql.record.get(orderId);
      const order = sql.order.get(orderId);
      if (record === undefined || order === undefined) return undefined;
      const entry = { record: recordOf(record), order: orderOf(order) };
      keep(entry);
      return entry;
    },
  };
}
