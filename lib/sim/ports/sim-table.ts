/**
 * The tables: orders and process records, and a due index that follows late (sim-due-index.ts). Conditions and the recognition of own
 * writes work as in lib/aws/store/dynamo-store.ts; the state store's contract covers both.
 */

import { isRecordWithin } from '#core/codec/record-size.ts';
import { isFarKey } from '#core/decide/due.ts';
import { ReeveError, RefusedError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Order, PendingRecord, ProcessRecord } from '#core/model/record.ts';
import type { DueQuery, LineJoin, ListQuery, Page } from '#ports/state-store.ts';
import { type DueIndexOptions, simDueIndex } from './sim-due-index.ts';
import { type SimLines, simLines } from './sim-lines.ts';

/** A write that was applied. */
export interface Write {
  readonly before: ProcessRecord | null;
  readonly after: ProcessRecord;
  /** The machine that wrote it. */
  readonly by: string;
  readonly at: number;
}

/** Who writes: the machine, and the number of shards that its release has. */
export interface Writer {
  readonly name: string;
  readonly shards: number;
}

export interface TableOptions extends DueIndexOptions {
  /** The most shards of any release. */
  readonly shardsMax: number;
  readonly onWrite: (write: Write) => void;
}

export interface SimTable extends SimLines {
  readonly shardsMax: number;
  create(
    order: Order,
    record: PendingRecord,
    by: Writer,
    line?: LineJoin,
  ): 'created' | 'exists' | 'overtaken';
  commit(record: ProcessRecord, replaced: number, by: Writer): 'committed' | 'conflict';
  record(orderId: OrderId): ProcessRecord | undefined;
  /** The record before a write of the last second; without one, the record. */
  recordBefore(orderId: OrderId): ProcessRecord | undefined;
  order(orderId: OrderId): Order | undefined;
  /** Of orders that are not stored with their records. */
  orderApart(orderId: OrderId): Order | undefined;
  orderIds(): readonly OrderId[];
  due(query: DueQuery): Page<OrderId>;
  /** The shards that the order was written to. */
  shardsOf(orderId: OrderId): readonly number[];
  /** The due times of all orders, by the index. */
  dueTimes(): readonly number[];
  /** Whether the index shows every write. */
  isIndexed(): boolean;
  list(query: ListQuery): Page<ProcessRecord>;
}

export const recordsOf = (table: SimTable): readonly ProcessRecord[] =>
  table.orderIds().flatMap((orderId) => table.record(orderId) ?? []);

export function simTable(options: TableOptions): SimTable {
  const { now, shardsMax, sweepPeriodMs } = options;
  const orders = new Map<OrderId, Order>();
  const records = new Map<OrderId, ProcessRecord>();
  const former = formerRecords(now);
  const index = simDueIndex(options);
  const { isAsRead, write: writeLine, ...lines } = simLines();

  function write(before: ProcessRecord | null, after: ProcessRecord, by: Writer): void {
    if (!isRecordWithin(after, limits.itemBytesMax)) {
      throw new RefusedError('store-refused', 'The simulation: no item is as large as that.');
    }
    records.set(after.orderId, after);
    former.keep(after.orderId, before);
    index.write(after, by.shards);
    options.onWrite({ before, after, by: by.name, at: now() });
  }

  return {
    shardsMax,
    shardsOf: index.shardsOf,
    create(order, record, by, line) {
      const known = records.get(order.orderId);
      if (known !== undefined) return known.writeId === record.writeId ? 'created' : 'exists';
      if (line !== undefined && !isAsRead(line)) return 'overtaken';
      const { replaced } = line ?? {};
      const before = replaced && records.get(replaced.orderId);
      if (before?.revision !== (replaced && replaced.revision - 1)) return 'overtaken';
      orders.set(order.orderId, order);
      const isWhole = line === undefined && isKeptWhole(order.orderId);
      if (line !== undefined) writeLine(line);
      if (replaced !== undefined && before !== undefined) write(before, replaced, by);
      const { details, digest } = order;
      write(null, isWhole ? { ...record, document: { details, digest } } : record, by);
      return 'created';
    },
    ...lines,
    commit(record, replaced, by) {
      const before = records.get(record.orderId);
      if (before?.revision === record.revision && before.writeId === record.writeId) {
        return 'committed';
      }
      if (before?.revision !== replaced) return 'conflict';
      const { document } = before;
      write(before, document === undefined ? record : { ...record, document }, by);
      return 'committed';
    },
    record: (orderId) => records.get(orderId),
    recordBefore: (orderId) => former.of(orderId, records.get(orderId)),
    order: (orderId) => orders.get(orderId),
    orderApart: (orderId) =>
      records.get(orderId)?.document === undefined ? orders.get(orderId) : undefined,
    orderIds: () => [...records.keys()],
    due({ shard, from, to, limit, cursor, far = false }) {
      const found: Placed<OrderId>[] = [];
      for (const orderId of records.keys()) {
        const entry = index.shown(orderId);
        const due = entry?.shard === shard ? entry.dueAt : null;
        if (due === null || due < from || due > to) continue;
        if (far && !isFarKey(due, sweepPeriodMs)) continue;
        found.push({ place: placeOf(due, orderId), item: orderId });
      }
      const ahead = found.filter(({ place }) => cursor === null || place > cursor);
      return pageOf(ahead.sort(byPlace), limit);
    },
    isIndexed: index.isIndexed,
    dueTimes: () => [...records.keys()].flatMap((orderId) => index.shown(orderId)?.dueAt ?? []),
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

/** How long an eventually consistent read may be behind. */
const readLagMaxMs = 1_000;

function formerRecords(now: () => number) {
  const last = new Map<OrderId, { readonly before: ProcessRecord | null; readonly at: number }>();
  return {
    keep: (orderId: OrderId, before: ProcessRecord | null) =>
      last.set(orderId, { before, at: now() }),
    of(orderId: OrderId, latest: ProcessRecord | undefined): ProcessRecord | undefined {
      const write = last.get(orderId);
      const isRecent = write !== undefined && now() - write.at < readLagMaxMs;
      return isRecent ? (write.before ?? undefined) : latest;
    },
  };
}

/** Half of the orders are stored with their records. */
const isKeptWhole = (orderId: OrderId) => orderId.charCodeAt(orderId.length - 1) % 2 === 0;

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
