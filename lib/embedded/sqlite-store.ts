/**
 * The state store on SQLite, for one process. WAL and `synchronous=FULL` make each acknowledged write durable. An
 * exclusive lock makes this process the only writer, so that it may cache live records.
 */

import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type DamageReport, damageReport } from '#embedded/integrity/damage-report.ts';
import { filesInPlace } from '#embedded/integrity/files-in-place.ts';
import { intactRecord } from '#embedded/integrity/intact-rows.ts';
import { keepingUp } from '#embedded/integrity/totals-file.ts';
import { type Verification, verification } from '#embedded/integrity/verify.ts';
import { nextTurn } from '#event-loop/turns.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { Outbox } from '#ports/outbox.ts';
import type { Retention } from '#ports/retention.ts';
import type { StateStore } from '#ports/state-store.ts';
import { copyInUse } from './copies/backup.ts';
import { behindLink } from './data-files.ts';
import { forgetter, newestOf } from './forget.ts';
import { groupCommit } from './group-commit.ts';
import { type Listeners, listenersOf } from './listeners.ts';
import { openDatabase } from './open-database.ts';
import { type CacheBounds, defaultBounds, type RecordCache, recordCache } from './record-cache.ts';
import { idOf, listCursor } from './rows.ts';
import type { Statements } from './statements.ts';
import { agentSettingRows } from './tables/agent-settings.ts';
import { dueEntries } from './tables/due-entries.ts';
import { linesOf } from './tables/lines.ts';
import { listedPage } from './tables/listing.ts';
import { writeState } from './write-state.ts';
import { writes } from './writes.ts';

/** The ports that the embedded store implements, and its administration. */
export interface SqliteStore
  extends StateStore,
    Outbox,
    Retention,
    Pick<Listeners, 'watchRecords'> {
  /** What operators changed of agents. */
  readonly agentSettings: AgentSettingStore;
  /** Starts a verification of all stored orders. */
  verify(): Verification;
  /** The number of rows found damaged since the start. */
  damaged(): number;
  /** The code of the error of the last group of writes; null when it was stored. */
  refusal(): string | null;
  /** Reports, as damage, that a file of the data was removed or replaced since the start. */
  lookAtFiles(): void;
  /** Commits an empty group, to test whether the disk accepts writes. */
  tryWrite(): Promise<void>;
  /**
   * Copies a consistent snapshot of the data, while writes continue.
   *
   * @param to a file that does not exist
   * @throws {ReeveError} see backup.ts
   */
  backup(to: string): Promise<void>;
  /** Commits the waiting writes and closes the files; may be called again. */
  close(): void;
}

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** The precision of the due index, ms: the period of the Supervisor's sweeps. */
  readonly sweepPeriodMs: number;
  readonly log: Log;
  /** What is kept in memory of live orders. Default: see record-cache.ts. */
  readonly cached?: CacheBounds;
}

/**
 * Opens the store; creates it when it does not exist.
 *
 * @throws {ReeveError} `store-in-use`; `store-unusable` when it cannot be opened; `store-full` when its disk
 * has no space for one write; `store-damaged` when SQLite cannot read it, or accepted work is missing
 */
export function sqliteStore({ log, ...options }: SqliteStoreOptions): SqliteStore {
  const path = behindLink(options.path);
  const damage = damageReport(path, log);
  const { database, sql, bound, totals, file } = openDatabase(path, damage);
  const cache = recordCache(sql, damage, options.cached ?? defaultBounds);
  const keepUp = file === null ? null : keepingUp(file, log);
  const state = writeState(path, log);
  const group = groupCommit({
    database,
    path,
    onFailure() {
      totals.revert();
      cache.clear();
    },
    beforeCommit: totals.write,
    onCommit() {
      totals.keep();
      keepUp?.(totals.current);
      bound.onCommit();
      state.written();
    },
    onRefused: state.refused,
    onRejected: damage.met,
    makeRoom: bound.makeRoom,
  });
  const listeners = listenersOf(sql, damage);
  const lines = linesOf(sql, damage);
  let verified: Verification | undefined;
  return {
    ...writes(
      { sql, cache, group, damage, totals, lines, notify: listeners.notify },
      options.sweepPeriodMs,
    ),
    ...reads({ sql, cache, damage, log }),
    agentSettings: agentSettingRows({ database, group, damage, log }),
    changes: listeners.changes,
    watchChanges: listeners.watchChanges,
    watchRecords: listeners.watchRecords,
    async deleteChange(seq) {
      await group.write(() => sql.deleteChange.run(seq));
    },
    newestSubmittedAt: () => newestOf(sql),
    deleteEnded: forgetter({
      sql,
      group,
      damage,
      totals,
      lines,
      onForgotten: (seq) => verified?.forgot(seq),
    }),
    verify() {
      const { accepted, forgotten } = totals.current;
      verified = verification({ database, damage, expected: accepted - forgotten });
      return verified;
    },
    damaged: damage.count,
    refusal: state.refusal,
    lookAtFiles: file === null ? () => {} : filesInPlace(path, damage),
    // A transaction without work writes the row of totals.
    tryWrite: () => group.write(() => {}),
    backup: (to) => copyInUse(database, path, to),
    close() {
      if (!database.isOpen) return;
      group.flush();
      file?.close();
      database.close();
    },
  };
}

interface ReadParts {
  readonly sql: Statements;
  readonly cache: RecordCache;
  readonly damage: DamageReport;
  readonly log: Log;
}

function reads({
  sql,
  cache,
  damage,
  log,
}: ReadParts): Pick<
  StateStore,
  'records' | 'orders' | 'dueShards' | 'dueShardsMax' | 'dueShardOf' | 'due' | 'list'
> {
  return {
    dueShards: 1,
    dueShardsMax: 1,
    dueShardOf: () => 0,
    records: async (ids) => found(ids, (orderId) => cache.get(orderId)?.record),
    orders: async (ids) => found(ids, (orderId) => cache.get(orderId)?.order),

    async due(range) {
      const { entries, cursor } = damage.row('Processes', 'index Due', () =>
        dueEntries(sql.due, range, ({ message: reason }) =>
          damage.report({ table: 'Processes', row: 'index Due', reason }),
        ),
      );
      return { items: decodeOrSkip(entries, idOf, leftOut(log, 'due')), cursor };
    },

    async list(query) {
      const below = listCursor(query.cursor);
      const { rows, next, isShort } = damage.row('Processes', 'listing', () =>
        listedPage(sql, query, below),
      );
      const read = ({ Seq }: { Seq: number }) =>
        damage.row('Processes', Seq, () => intactRecord(sql.listed.get(Seq), null));
      const items = decodeOrSkip(rows, read, leftOut(log, 'list'));
      // A reader that asks for the next page at once leaves a turn to the orders.
      if (isShort) await nextTurn();
      return { items, cursor: next === null ? null : String(next) };
    },
  };
}

/** Logs an unreadable order. `from`: the query that left it out. */
function leftOut(log: Log, from: 'due' | 'list') {
  return (
    { OrderID: orderId }: { OrderID: string },
    { code, message }: UnreadableDataError,
  ): void => log.error('unreadable-order-left-out', { orderId, from, code, reason: message });
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
