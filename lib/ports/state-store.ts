/**
 * The state store: orders and their process records, with conditional writes and the due index. It is
 * the only authoritative state; test/contracts/state-store.ts is its complete contract.
 */

import type { Line } from '#core/flow/line.ts';
import type { LineName, OrderId } from '#core/model/ids.ts';
import type { Order, PendingRecord, ProcessRecord, ProcessState } from '#core/model/record.ts';

/** One page of a listing. `cursor`: opaque; where the next page begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly cursor: string | null;
}

/** A page of the due index. Instants are ms since the epoch. */
export interface DueQuery {
  /** From 0 up to `dueShards`. */
  readonly shard: number;
  /** Orders due at or after this instant … */
  readonly from: number;
  /** … and at or before this one. */
  readonly to: number;
  readonly limit: number;
  readonly cursor: string | null;
  /**
   * True: only orders that, when they were written, were to be due later than a message can be delayed, for a sweep that
   * looks ahead. A store whose records are cheap to read may return others too.
   */
  readonly far?: boolean;
}

/** A page of orders. */
export interface ListQuery {
  /** Null: orders in every state. */
  readonly processState: ProcessState | null;
  /** Only orders with this correlation id; absent: all orders. */
  readonly correlationId?: string;
  readonly limit: number;
  readonly cursor: string | null;
}

/** A change of a line, which is made only where the line is still as it was read. */
export interface LineChange {
  readonly name: LineName;
  /** As it was read; none: the line is not stored. */
  readonly before: Line;
  /** None: the line is not stored any more. */
  readonly after: Line;
}

/** The change of a line with a new order. */
export interface LineJoin extends LineChange {
  /**
   * The next revision of another order, which the new one replaces: it is written with the new order, and only where its stored
   * revision is the one before. Default: none.
   */
  readonly replaced?: ProcessRecord;
}

/**
 * Every method may throw {@link UnavailableError}: whether a write happened is then not known. A write may
 * throw {@link RefusedError}: the store will never accept it, for example because it is too large.
 *
 * Reading a corrupt order by its id throws {@link CorruptDataError}. `list` skips corrupt orders, and `due`
 * skips entries with an invalid id, so that one of them does not hide the others; each time they log
 * `unreadable-order-left-out` with the id.
 */
export interface StateStore {
  /**
   * Stores order and record together, or neither (R1); `exists` when the order id is in use (R2). A
   * repetition with the same write id is recognised and returns `created` again (R12).
   *
   * @param line changed in the same transaction; `overtaken`: it was not as it was read, or the order that is to be replaced has
   *   another revision, and nothing was stored. Default: none
   */
  create(
    order: Order,
    record: PendingRecord,
    line?: LineJoin,
  ): Promise<'created' | 'exists' | 'overtaken'>;

  /**
   * Replaces this revision of the record; `conflict` when the stored revision is another one. A repetition with the same
   * write id is recognised and returns `committed` again (R12).
   *
   * @param replaced default: `record.revision - 1`; an earlier one when several decisions have one write
   */
  commit(record: ProcessRecord, replaced?: number): Promise<'committed' | 'conflict'>;

  /** Consistent reads; unknown ids are absent from the result. */
  records(orderIds: readonly OrderId[]): Promise<ReadonlyMap<OrderId, ProcessRecord>>;

  /**
   * As `records`, for less: a record may be that of an earlier revision, or absent, for some time after its write. So it is good only for decisions that a
   * conditional write follows. Absent: consistent reads cost no more.
   */
  eventualRecords?(orderIds: readonly OrderId[]): Promise<ReadonlyMap<OrderId, ProcessRecord>>;

  /** The orders whose records have no `document`: see `ordersOf` (lib/roles/orders-of.ts), which asks for those alone. */
  orders(orderIds: readonly OrderId[]): Promise<ReadonlyMap<OrderId, Order>>;

  /** The orders of a singleton key: a consistent read; none when the line is not stored. */
  line(name: LineName): Promise<Line>;

  /** Whether the line was as it was read, and is as it was to be now. A change whose answer was lost may return false. */
  changeLine(change: LineChange): Promise<boolean>;

  /** The number of shards of the due index, to which orders are written; a sweep processes one shard. */
  readonly dueShards: number;

  /** The most shards that any release can have: one with more than `dueShards` may have written orders to them. */
  readonly dueShardsMax: number;

  /** The shard to which a release with so many shards writes the order. */
  dueShardOf(orderId: OrderId, shards: number): number;

  /** Earliest first. The index may be stale: the record decides whether the order is due. */
  due(query: DueQuery): Promise<Page<OrderId>>;

  /**
   * Newest first; with a correlation id, newest first only within a page.
   *
   * @throws {ReeveError} `cursor-invalid` when no listing returned the cursor
   */
  list(query: ListQuery): Promise<Page<ProcessRecord>>;
}
