/**
 * The state store: orders and their process records, with conditional writes and the due index. The
 * one place where Reeve's truth lives; test/contracts/state-store.ts says in full what it must do.
 */
import type { OrderId } from '#core/model/ids.ts';
import type { Order, PendingRecord, ProcessRecord, ProcessState } from '#core/model/record.ts';

/** Where a listing goes on; opaque to whoever asked. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null at the end. */
  readonly cursor: string | null;
}

export interface DueQuery {
  /** From 0 up to `dueShards`. */
  readonly shard: number;
  /** Orders due at or after this instant … */
  readonly from: number;
  /** … and at or before this one. */
  readonly to: number;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface ListQuery {
  /** Null: orders in every state. */
  readonly processState: ProcessState | null;
  /** Only orders that their submitter gave this name; left out: all. */
  readonly correlationId?: string;
  readonly limit: number;
  readonly cursor: string | null;
}

/**
 * Every method may throw {@link UnavailableError}: whether a write happened is then not known. A write may
 * throw {@link RefusedError}: it is too large, or otherwise what the store will never take.
 *
 * A stored order that no version of Reeve wrote is a {@link CorruptDataError} to who reads it by its id.
 * `list` leaves it out, `due` an entry whose id is none, and the log says so each time, as
 * `unreadable-order-left-out` with the id: one that is spoiled must not hide all others.
 */
export interface StateStore {
  /**
   * Stores order and record together, or neither (R1); `exists` when the order id is taken (R2). A
   * repeated create of the same write id is recognised and is `created` again (R12).
   */
  create(order: Order, record: PendingRecord): Promise<'created' | 'exists'>;

  /**
   * Replaces revision `record.revision - 1` of the record, and only that one. A repeated commit of
   * the same write id is recognised and is `committed` again (R12); `conflict` when another write
   * was first.
   */
  commit(record: ProcessRecord): Promise<'committed' | 'conflict'>;

  /** Consistent reads; unknown ids are left out. */
  records(orderIds: readonly OrderId[]): Promise<ReadonlyMap<OrderId, ProcessRecord>>;
  orders(orderIds: readonly OrderId[]): Promise<ReadonlyMap<OrderId, Order>>;

  /** The due index is split into so many parts, each a sweep's unit of work. */
  readonly dueShards: number;

  /** Earliest first. A hint: it may be stale, and the record decides. */
  due(query: DueQuery): Promise<Page<OrderId>>;

  /**
   * Newest first; of one correlation id, newest first within a page.
   *
   * @throws {ReeveError} `cursor-invalid` for a cursor that no listing gave
   */
  list(query: ListQuery): Promise<Page<ProcessRecord>>;
}
