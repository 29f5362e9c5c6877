/**
 * The tables: orders and process records, and a due index that follows late. Conditions and the recognition of own
 * writes work as in lib/aws/store/dynamo-store.ts; the state store's contract covers both.
 */

import { isRecordWithin } from '#core/codec/record-size.ts';
import { dueKeyOf, isFarKey } from '#core/decide/due.ts';
import { ReeveError, RefusedError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Order, PendingRecord, ProcessRecord } from '#core/model/record.ts';
import type { DueQuery, LineJoin, ListQuery, Page } from '#ports/state-store.ts';
import { type SimLines, simLines } from './sim-lines.ts';

/** A write that was applied. */
export interface Write {
  readonly before: ProcessRecord | null;
  readonly after: ProcessRecord;
  /** The machine that wrote it. */
  readonly by: string;
  readonly at: number;
}

export interface TableOptions {
  readonly now: () => number;
  readonly shards: number;
  /** The precision of due times, which are rounded up to it, ms. */
  readonly sweepPeriodMs: number;
  /** The delay of a write in the index, ms; drawn for each write. */
  readonly indexLag: () => number;
  readonly onWrite: (write: Write) => void;
}

export interface SimTable extends SimLines {
  readonly shards: number;
  create(
    order: Order,
    record: PendingRecord,
    by: string,
    line?: LineJoin,
  ): 'created' | 'exists' | 'overtaken';
  commit(record: ProcessRecord, replaced: number, by: string): 'committed' | 'conflict';
  record(orderId: OrderId): ProcessRecord | undefined;
  order(orderId: OrderId): Order | undefined;
  orderIds(): readonly OrderId[];
  due(query: DueQuery): Page<OrderId>;
  /** The due times of all orders, by the index. */
  dueTimes(): readonly number[];
  /** Whether the index shows every write. */
  isIndexed(): boolean;
  list(query: ListQuery): Page<ProcessRecord>;
}

export const recordsOf = (table: SimTable): readonly ProcessRecord[] =>
  table.orderIds().flatMap((orderId) => table.record(orderId) ?? []);

interface IndexEntry {
  readonly visibleAt: number;
  readonly dueAt: number | null;
}

export function simTable(options: TableOptions): SimTable {
  const { now, shards, sweepPeriodMs } = options;
  const orders = new Map<OrderId, Order>();
  const records = new Map<OrderId, ProcessRecord>();
  const index = new Map<OrderId, IndexEntry[]>();
  const { isAsRead, write: writeLine, ...lines } = simLines();

  function write(before: ProcessRecord | null, after: ProcessRecord, by: string): void {
    if (!isRecordWithin(after, limits.itemBytesMax)) {
      throw new RefusedError('store-refused', 'The simulation: no item is as large as that.');
    }
    records.set(after.orderId, after);
    const key = dueKeyOf(after, sweepPeriodMs);
    const entries = index.get(after.orderId) ?? [];
    // The index shows the writes of one item in sequence.
    const visibleAt = Math.max(now() + options.indexLag(), entries.at(-1)?.visibleAt ?? 0);
    const seen = entries.findLastIndex((entry) => entry.visibleAt <= now());
    index.set(after.orderId, [...entries.slice(Math.max(0, seen)), { visibleAt, dueAt: key }]);
    options.onWrite({ before, after, by, at: now() });
  }

  const shownDue = (orderId: OrderId): number | null =>
    index.get(orderId)?.findLast(({ visibleAt }) => visibleAt <= now())?.dueAt ?? null;

  return {
    shards,
    create(order, record, by, line) {
      const known = records.get(order.orderId);
      if (known !== undefined) return known.writeId === record.writeId ? 'created' : 'exists';
      if (line !== undefined && !isAsRead(line)) return 'overtaken';
      const { replaced } = line ?? {};
      const before = replaced && records.get(replaced.orderId);
      if (before?.revision !== (replaced && replaced.revision - 1)) return 'overtaken';
      orders.set(order.orderId, order);
      if (line !== undefined) writeLine(line);
      if (replaced !== undefined && before !== undefined) write(before, replaced, by);
      write(null, record, by);
      return 'created';
    },
    ...lines,
    commit(record, replaced, by) {
      const before = records.get(record.orderId);
      if (before?.revision === record.revision && before.writeId === record.writeId) {
        return 'committed';
      }
      if (before?.revision !== replaced) return 'conflict';
      write(before, record, by);
      return 'committed';
    },
    record: (orderId) => records.get(orderId),
    order: (orderId) => orders.get(orderId),
    orderIds: () => [...records.keys()],
    due({ shard, from, to, limit, cursor, far = false }) {
      const found: Placed<OrderId>[] = [];
      for (const orderId of records.keys()) {
        const due = shardOf(orderId, shards) === shard ? shownDue(orderId) : null;
        if (due === null || due < from || due > to) continue;
        if (far && !isFarKey(due, sweepPeriodMs)) continue;
        found.push({ place: placeOf(due, orderId), item: orderId });
      }
      const ahead = found.filter(({ place }) => cursor === null || place > cursor);
      return pageOf(ahead.sort(byPlace), limit);
    },
    isIndexed: () => [...index.values()].every((own) => (own.at(-1)?.visibleAt ?? 0) <= now()),
    dueTimes: () => [...records.keys()].flatMap((orderId) => shownDue(orderId) ?? []),
    list({ processState, correlationId, limit, cursor }) {
      if (cursor !== null && !isPlace(cursor)) {
        throw new ReeveError('cursor-invalid', 'No listing gave this cursor.');
      }
      const found: Placed<ProcessRecord>[] = [];
      for (const record of records.values()) {
        if (processState !== null && record.processState !== processState) continue;
        if (correlationId !== undefined && record.correlationId !== correlationId) continue;
        found.push({ place: placeOf(record.submittedAt, record.orderId), item: record });
      }
      const ahead = found.filter(({ place }) => cursor === null || place < cursor);
      return pageOf(ahead.sort(byPlace).reverse(), limit);
    },
  };
}

interface Placed<Item> {
  readonly place: string;
  readonly item: Item;
}

const placeOf = (at: number, orderId: OrderId) => `${String(at).padStart(16, '0')} ${orderId}`;
const isPlace = (cursor: string) => /^\d{16} ./.test(cursor);
const byPlace = (a: Placed<unknown>, b: Placed<unknown>) => (a.place < b.place ? -1 : 1);

function pageOf<Item>(found: readonly Placed<Item>[], limit: number): Page<Item> {
  const page = found.slice(0, limit);
  const more = found.length > limit;
  return { items: page.map(({ item }) => item), cursor: (more && page.at(-1)?.place) || null };
}

export function shardOf(orderId: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < orderId.length; at += 1) sum = (sum * 31 + orderId.charCodeAt(at)) >>> 0;
  return sum % shards;
}
