/**
 * The state store on SQLite, for one process: WAL and `synchronous=FULL`, so that what is answered is
 * on disk, and an exclusive lock, so that nobody else writes and live records may be kept in memory.
 */
import { DatabaseSync } from 'node:sqlite';
import { type Audience, audienceOf, type Change, changeOf } from '#core/change.ts';
import { dueAt } from '#core/due.ts';
import { eachReadable } from '#core/each-readable.ts';
import { type CorruptDataError, ReeveError } from '#core/errors.ts';
import type { OrderId } from '#core/ids.ts';
import type { ProcessRecord, ProcessState } from '#core/record.ts';
import type { Log } from '#ports/log.ts';
import type { ListQuery, StateStore } from '#ports/state-store.ts';
import { type GroupCommit, groupCommit } from './group-commit.ts';
import { type LogBound, logBound, roomOnDisk } from './log-bound.ts';
import { type RecordCache, recordCache } from './record-cache.ts';
import {
  ageOf,
  changeOfRow,
  dueCursor,
  dueOf,
  idOf,
  listCursor,
  listedOf,
  recordOf,
  rowOf,
} from './rows.ts';
import { addMissingColumns, schema } from './schema.ts';
import { type Statements, statements } from './statements.ts';
import { isDamage, isFull, storeError } from './store-error.ts';

/** A change, one of those who must be told of it, and its number in the change table. */
export interface StoredChange {
  readonly seq: number;
  readonly change: Change;
  readonly audience: Audience;
}

/** `before`: the revision that it replaced; null for a new order. */
export type RecordListener = (record: ProcessRecord, before: ProcessRecord | null) => void;

export interface SqliteStore extends StateStore {
  /** Calls `listener` with each change for each of its audiences, those left from before first. */
  watchChanges(listener: (change: StoredChange) => void): void;
  /** They were told: the change need not survive a crash any more. */
  forgetChange(seq: number): Promise<void>;
  /** Calls `listener` with every committed record, until the function it gives is called. */
  watchRecords(listener: RecordListener): () => void;
  /** Deletes some of the orders that ended before this instant; gives how many. */
  forgetEnded(before: number): Promise<number>;
  /** May be called again. */
  close(): void;
}

/** Orders looked at in one call of `forgetEnded`: a millisecond's work. */
const forgetBatch = 500;

export interface SqliteStoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** The precision of the due index, ms: how often the Supervisor looks. */
  readonly sweepPeriodMs: number;
  readonly log: Log;
  /** Records of live orders kept in memory. Default 10,000. */
  readonly cachedMax?: number;
}

/**
 * @throws {ReeveError} `store-unusable` when it cannot be opened or is in use; `store-full` when its disk
 * has no room for one write; `store-damaged` when SQLite cannot read it
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { path } = options;
  const { database, bound } = open(path);
  const sql = statements(database);
  const cache = recordCache(sql, options.cachedMax ?? 10_000);
  const group = groupCommit({
    database,
    path,
    onFailure: cache.clear,
    onCommit: bound.onCommit,
    makeRoom: bound.makeRoom,
  });
  const listeners = listenersOf(sql);
  return {
    ...writes(sql, cache, group, listeners, options.sweepPeriodMs),
    ...reads(sql, cache, options.log),
    watchChanges: listeners.watchChanges,
    watchRecords: listeners.watchRecords,
    async forgetChange(seq) {
      await group.write(() => sql.deleteChange.run(seq));
    },
    forgetEnded: forgetter(sql, group),
    close() {
      if (!database.isOpen) return;
      group.flush();
      database.close();
    },
  };
}

interface Listeners extends Pick<SqliteStore, 'watchChanges' | 'watchRecords'> {
  tell(record: ProcessRecord, before: ProcessRecord | null, changes: readonly StoredChange[]): void;
}

function listenersOf(sql: Statements): Listeners {
  const onRecord = new Set<RecordListener>();
  let onChange: ((change: StoredChange) => void) | undefined;
  return {
    tell(record, before, changes) {
      for (const change of changes) onChange?.(change);
      for (const listener of onRecord) listener(record, before);
    },
    watchChanges(listener) {
      for (const row of sql.changes.all()) listener(changeOfRow(row));
      onChange = listener;
    },
    watchRecords(listener) {
      onRecord.add(listener);
      return () => onRecord.delete(listener);
    },
  };
}

function writes(
  sql: Statements,
  cache: RecordCache,
  group: GroupCommit,
  { tell }: Listeners,
  sweepPeriodMs: number,
): Pick<StateStore, 'create' | 'commit'> {
  const dueKey = (record: ProcessRecord) => {
    const due = dueAt(record);
    return due === null ? null : Math.ceil(due / sweepPeriodMs) * sweepPeriodMs;
  };
  const noteChange = (before: ProcessState | null, record: ProcessRecord): StoredChange[] => {
    const change = changeOf(before, record);
    if (change === null) return [];
    return audienceOf(change).map((audience) => {
      const { lastInsertRowid } = sql.insertChange.run(JSON.stringify(change), audience);
      return { seq: Number(lastInsertRowid), change, audience };
    });
  };
  return {
    async create(order, record) {
      const { orderId, details, digest, submittedAt } = order;
      const stored = await group.write(() => {
        const document = JSON.stringify(details);
        if (sql.insertOrder.run(orderId, document, digest, submittedAt).changes === 0) {
          return cache.get(orderId)?.record.writeId === record.writeId ? 'created' : 'exists';
        }
        sql.insert(record, dueKey(record));
        cache.keep({ order, record });
        return { changes: noteChange(null, record) };
      });
      if (typeof stored === 'string') return stored;
      tell(record, null, stored.changes);
      return 'created';
    },

    async commit(record) {
      const written = await group.write(() => {
        const before = cache.get(record.orderId);
        if (before?.record.writeId === record.writeId) return 'committed';
        if (before === undefined) return 'conflict';
        if (!sql.replace(record, dueKey(record), dueKey(before.record))) return 'conflict';
        cache.keep({ order: before.order, record });
        return { before: before.record, changes: noteChange(before.record.processState, record) };
      });
      if (typeof written === 'string') return written;
      tell(record, written.before, written.changes);
      return 'committed';
    },
  };
}

/** Walks the orders from the oldest, a batch a call; at one too young to have gone, begins anew. */
function forgetter(sql: Statements, group: GroupCommit): SqliteStore['forgetEnded'] {
  let from = 0;
  return (before) =>
    group.write(() => {
      const batch = sql.oldest.all(from, forgetBatch).map(ageOf);
      const old = batch.filter(({ SubmittedAt }) => SubmittedAt < before);
      const gone = old.filter(
        ({ ProcessState, UpdatedAt }) =>
          UpdatedAt < before && (ProcessState === 'Processed' || ProcessState === 'Undone'),
      );
      for (const { Seq, OrderID } of gone) {
        sql.forgetRecord.run(Seq);
        sql.forgetOrder.run(OrderID);
      }
      from = old.length < forgetBatch ? 0 : (old.at(-1)?.Seq ?? 0);
      return gone.length;
    });
}

function reads(
  sql: Statements,
  cache: RecordCache,
  log: Log,
): Pick<StateStore, 'records' | 'orders' | 'dueShards' | 'due' | 'list'> {
  return {
    dueShards: 1,
    records: async (ids) => found(ids, (orderId) => cache.get(orderId)?.record),
    orders: async (ids) => found(ids, (orderId) => cache.get(orderId)?.order),

    async due({ from, to, limit, cursor }) {
      const [at, id] = cursor === null ? [from, ''] : dueCursor(cursor);
      const rows = sql.due.all(at, id, to, limit).map(dueOf);
      const last = rows.at(-1);
      return {
        items: eachReadable(rows, idOf, leftOut(log, 'due')),
        cursor: last === undefined || rows.length < limit ? null : `${last.DueAt}.${last.OrderID}`,
      };
    },

    async list(query) {
      const { limit } = query;
      const rows = listedRows(sql, query).map(listedOf);
      const last = rows.at(-1);
      const read = ({ Seq }: { Seq: number }) => recordOf(rowOf(() => sql.listed.get(Seq)));
      return {
        items: eachReadable(rows, read, leftOut(log, 'list')),
        cursor: last === undefined || rows.length < limit ? null : String(last.Seq),
      };
    },
  };
}

function listedRows(sql: Statements, query: ListQuery): unknown[] {
  const { processState, correlationId, limit, cursor } = query;
  const below = listCursor(cursor);
  if (correlationId !== undefined) {
    return sql.listByCorrelation.all(correlationId, below, processState, limit);
  }
  return processState === null
    ? sql.list.all(below, limit)
    : sql.listByState.all(processState, below, limit);
}

/** `from`: what was asked for many orders. */
function leftOut(log: Log, from: 'due' | 'list') {
  return ({ OrderID: orderId }: { OrderID: string }, { code, message }: CorruptDataError): void =>
    log.error('corrupt-order-left-out', { orderId, from, code, reason: message });
}

function found<Value>(
  orderIds: readonly OrderId[],
  read: (orderId: OrderId) => Value | undefined,
): ReadonlyMap<OrderId, Value> {
  const values = new Map<OrderId, Value>();
  for (const orderId of orderIds) {
    const value = read(orderId);
    if (value !== undefined) values.set(orderId, value);
  }
  return values;
}

/** An exclusive lock is taken at the first read and held until `close`. */
function open(path: string): { readonly database: DatabaseSync; readonly bound: LogBound } {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
    `);
    const bound = logBound(database, roomOnDisk(path));
    database.exec(schema);
    addMissingColumns(database);
    assertWritable(database);
    return { database, bound };
  } catch (cause) {
    if (database?.isOpen) database.close();
    if (isFull(cause) || isDamage(cause)) throw storeError(cause, path);
    throw new ReeveError(
      'store-unusable',
      `Cannot open the state store ${path}. Is another Reeve running on the same data, or may the file not be written? Stop the other, or choose another REEVE_DATA.`,
      { cause },
    );
  }
}

/**
 * One write, and a checkpoint: what a full disk refuses is refused before anybody relies on this store.
 * The checkpoint also gives back the room of a log that a crash left.
 */
function assertWritable(database: DatabaseSync): void {
  database.exec('PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE);');
}
