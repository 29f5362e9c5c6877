/**
 * Live orders in memory. Safe because this process is the only writer (sqlite-store.ts), and no read runs between a
 * write and its commit.
 */

import type { RecordTexts } from '#core/codec/record-codec.ts';
import type { OrderId } from '#core/model/ids.ts';
import { hasEnded, type Order, type ProcessRecord } from '#core/model/record.ts';
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
  /** Characters of the details as they are stored … */
  readonly detailsLength: number;
  /** … and of the steps and the history. */
  readonly recordLength: number;
  /** What the next revision need not encode again; left out where the record was read. */
  readonly texts?: RecordTexts;
}

/** How much is kept at most, of which each generation has half. */
export interface CacheBounds {
  readonly orders: number;
  /** Characters of their stored texts. In memory they take about twice as many bytes. */
  readonly characters: number;
}

/** 64 MB of memory at most, however large the details are: an order of 3 KB needs no read from disk unless 10,000 others are alive. */
export const defaultBounds: CacheBounds = { orders: 10_000, characters: 32 * 1_024 * 1_024 };

/** Reads through to the tables. */
export interface RecordCache {
  /** @throws {CorruptDataError} when the row is damaged */
  get(orderId: OrderId): Entry | undefined;
  keep(entry: Entry): void;
  clear(): void;
}

/**
 * Keeps the latest live orders in two generations: a full young generation replaces the old one, whose unused entries
 * are dropped. (A Map from which the oldest entries are deleted one by one scans all the gaps they leave.)
 */
export function recordCache(
  sql: Statements,
  damage: DamageReport,
  bounds: CacheBounds,
): RecordCache {
  let young = new Map<OrderId, Entry>();
  let old = new Map<OrderId, Entry>();
  /** Of the young generation. */
  let characters = 0;

  function keep(entry: Entry): void {
    const { orderId } = entry.record;
    if (hasEnded(entry.record)) {
      characters -= lengthOf(young.get(orderId));
      young.delete(orderId);
      old.delete(orderId);
      return;
    }
    if (young.size >= bounds.orders / 2 || characters >= bounds.characters / 2) {
      old = young;
      young = new Map();
      characters = 0;
    }
    characters += lengthOf(entry) - lengthOf(young.get(orderId));
    young.set(orderId, entry);
  }

  return {
    keep,
    clear() {
      young.clear();
      old.clear();
      characters = 0;
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
      detailsLength: charactersIn(order, 'Details'),
      recordLength: charactersIn(record, 'Steps') + charactersIn(record, 'History'),
    };
  }
}

const lengthOf = (entry: Entry | undefined): number =>
  entry === undefined ? 0 : entry.detailsLength + entry.recordLength;

function charactersIn(row: Readonly<Record<string, unknown>> | undefined, column: string): number {
  const text = row?.[column];
  return typeof text === 'string' ? text.length : 0;
}
