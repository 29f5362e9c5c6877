/**
 * Live orders in memory. Safe because this process is the only writer (sqlite-store.ts) and because
 * nothing reads between a write and its commit.
 */
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactOrder, intactRecord } from '#embedded/integrity/intact-rows.ts';
import { numberOf } from './rows.ts';
import type { Statements } from './statements.ts';

export interface Entry {
  readonly order: Order;
  readonly record: ProcessRecord;
  /** The number of the record's row: found by it, an update needs no index. */
  readonly seq: number;
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
export function recordCache(sql: Statements, damage: DamageReport, max: number): RecordCache {
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
      const entry = stored(orderId);
      if (entry !== undefined) keep(entry);
      return entry;
    },
  };

  function stored(orderId: OrderId): Entry | undefined {
    const record = damage.row('Processes', orderId, () => sql.record.get(orderId));
    const order = damage.row('Orders', orderId, () => sql.order.get(orderId));
    if (record === undefined && order === undefined) return undefined;
    return {
      seq: damage.row('Processes', orderId, () => numberOf(record)),
      record: damage.row('Processes', orderId, () => intactRecord(record, orderId)),
      order: damage.row('Orders', orderId, () => intactOrder(order, orderId)),
    };
  }
}
