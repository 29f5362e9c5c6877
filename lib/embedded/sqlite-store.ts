/**
 * The state store on SQLite, for one process: WAL and `synchronous=FULL`, so that what is answered is
 * on disk, and an exclusive lock, so that nobody else writes and live records may be kept in memory.
 */
import { DatabaseSync } from 'node:sqlite';
import { type Change, changeOf, hasAudience } from '#core/change.ts';
import { dueAt } from '#core/due.ts';
import { ReeveError } from '#core/errors.ts';
import type { OrderId } from '#core/ids.ts';
import type { Order, ProcessRecord, ProcessState } from '#core/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { groupCommit } from './group-commit.ts';
import { changeOfRow, dueCursor, dueOf, listCursor, orderOf, recordOf, seqOf } from './rows.ts';
import { schema } from './schema.ts';
import { statements } from './statements.ts';

/** A change somebody must be told of, and its number in the change table. */
export interface StoredChange {
  readonly seq: number;
  readonly change: Change;
}

export interface SqliteStore extends StateStore {
  /** Calls `listener` with each change that has an audience, those left from before first. */
  watchChanges(listener: (change: StoredChange) => void): void;
  /** Everybody was told: the change need not survive a crash any more. */
  forgetChange(seq: number): Promise<void>;
  /** Calls `listener` with every committed record, until the function it gives is called. */
  watchRecords(listener: (record: ProcessRecord) => void): () => void;
  close(): void;
}

export interface SqliteStoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** The precision of the due index, ms: how often the Supervisor looks. */
  readonly sweepPeriodMs: number;
  /** Records of live orders kept in memory. Default 10,000. */
  readonly cachedMax?: number;
}

interface Cached {
  readonly order: Order;
  readonly record: ProcessRecord;
}

/** @throws {ReeveError} `store-unusable` when it is no database, or another process has it open */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const database = open(options.path);
  const sql = statements(database);
  const cache = new Map<OrderId, Cached>();
  const cachedMax = options.cachedMax ?? 10_000;
  const group = groupCommit(database, () => cache.clear());
  const recordListeners = new Set<(record: ProcessRecord) => void>();
  let tellChange: ((change: StoredChange) => void) | undefined;

  const dueKey = (record: ProcessRecord) => {
    const due = dueAt(record);
    return due === null ? null : Math.ceil(due / options.sweepPeriodMs) * options.sweepPeriodMs;
  };

  function keep(order: Order, record: ProcessRecord): void {
    if (record.processState === 'Processed' || record.processState === 'Undone') {
      cache.delete(record.orderId);
      return;
    }
    cache.set(record.orderId, { order, record });
    if (cache.size > cachedMax) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    }
  }

  function cached(orderId: OrderId): Cached | undefined {
    const hit = cache.get(orderId);
    if (hit !== undefined) return hit;
    const row = sql.record.get(orderId);
    const orderRow = sql.order.get(orderId);
    if (row === undefined || orderRow === undefined) return undefined;
    const found = { record: recordOf(row), order: orderOf(orderRow) };
    keep(found.order, found.record);
    return found;
  }

  function noteChange(before: ProcessState | null, record: ProcessRecord): StoredChange | null {
    const change = changeOf(before, record);
    if (change === null || !hasAudience(change)) return null;
    const { lastInsertRowid } = sql.insertChange.run(JSON.stringify(change));
    return { seq: Number(lastInsertRowid), change };
  }

  function tell(record: ProcessRecord, change: StoredChange | null): void {
    if (change !== null) tellChange?.(change);
    for (const listener of recordListeners) listener(record);
  }

  return {
    async create(order, record) {
      const stored = await group.write(() => {
        const { changes } = sql.insertOrder.run(
          order.orderId,
          JSON.stringify(order.details),
          order.digest,
          order.submittedAt,
        );
        if (changes === 0) return null;
        sql.insert(record, dueKey(record));
        return { change: noteChange(null, record) };
      });
      if (stored === null) return 'exists';
      keep(order, record);
      tell(record, stored.change);
      return 'created';
    },

    async commit(record) {
      const written = await group.write(() => {
        const before = cached(record.orderId);
        if (before === undefined) return 'conflict';
        if (before.record.writeId === record.writeId) return 'committed';
        if (before.record.revision !== record.revision - 1) return 'conflict';
        if (!sql.replace(record, dueKey(record), dueKey(before.record))) return 'conflict';
        keep(before.order, record);
        return { change: noteChange(before.record.processState, record) };
      });
      if (typeof written === 'string') return written;
      tell(record, written.change);
      return 'committed';
    },

    async records(orderIds) {
      const found = new Map<OrderId, ProcessRecord>();
      for (const orderId of orderIds) {
        const hit = cached(orderId);
        if (hit !== undefined) found.set(orderId, hit.record);
      }
      return found;
    },

    async orders(orderIds) {
      const found = new Map<OrderId, Order>();
      for (const orderId of orderIds) {
        const hit = cached(orderId);
        if (hit !== undefined) found.set(orderId, hit.order);
      }
      return found;
    },

    async due({ from, to, limit, cursor }) {
      const [at, id] = cursor === null ? [from, ''] : dueCursor(cursor);
      const rows = sql.due.all(from, to, at, id, limit).map(dueOf);
      const last = rows.at(-1);
      return {
        items: rows.map(({ OrderID }) => OrderID),
        cursor: last === undefined || rows.length < limit ? null : `${last.DueAt}.${last.OrderID}`,
      };
    },

    async list({ processState, limit, cursor }) {
      const below = listCursor(cursor);
      const rows =
        processState === null
          ? sql.list.all(below, limit)
          : sql.listByState.all(processState, below, limit);
      const last = rows.at(-1);
      return {
        items: rows.map(recordOf),
        cursor: last === undefined || rows.length < limit ? null : String(seqOf(last)),
      };
    },

    watchChanges(listener) {
      for (const row of sql.changes.all()) listener(changeOfRow(row));
      tellChange = listener;
    },

    async forgetChange(seq) {
      await group.write(() => sql.deleteChange.run(seq));
    },

    watchRecords(listener) {
      recordListeners.add(listener);
      return () => recordListeners.delete(listener);
    },

    close() {
      group.flush();
      database.close();
    },
  };
}

/** An exclusive lock is taken at the first read and held until `close`. */
function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA cache_size = -65536;
    `);
    database.exec(schema);
    return database;
  } catch (cause) {
    database.close();
    throw new ReeveError(
      'store-unusable',
      `Cannot open the state store ${path}. Is another Reeve running on the same data? Stop it, or choose another REEVE_DATA.`,
      { cause },
    );
  }
}
