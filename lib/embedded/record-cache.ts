/**
 * Live orders in memory. Safe because this process is the only writer (sqlite-store.ts), and no read runs between a
 * write and its commit.
 */

import type { RecordTexts } from '#core/codec/record-codec.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactOrder, intactRecord } from '#embedded/integrity/intact-rows.ts';
import { dueKeyOf, numberOf } from './rows.ts';
import type { Statements } from './statements.ts';

/** An order with its record. */
export interface Entry {
  readonly order: Order;
  readonly record: ProcessRecord;
  /** The row number of the record: an update by it needs no index. */
  readonly seq: number;
  /** The key in the due index as it is stored, which another sweep period may have made; null: not in the index. */
  readonly due: number | null;
  /** What the next revision need not encode again; left out where the record was read. */
  readonly texts?: RecordTexts;
}

/** Reads through to the tables. */
export interface RecordCache {
  /** @throws {CorruptDataError} when the row is damaged */
  get(orderId: OrderId): Entry | undefined;
  keep(entry: Entry): void;
  clear(): void;
}

/**
 * Keeps about `max` live orders in two generations: a full young generation replaces the old one, whose unused entries
 * are dropped. (A Map from which the oldest entries are deleted one by one scans all the gaps they leave.)
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
      due: damage.row('Processes', orderId, () => dueKeyOf(record)),
      record: damage.row('Processes', orderId, () => intactRecord(record, orderId)),
      order: damage.row('Orders', orderId, () => intactOrder(order, orderId)),
    };
  }
}
