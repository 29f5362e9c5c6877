/** Opens the database of the state store: nobody else writes it, and nothing that was on disk is missing. */
import { constants, copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CorruptDataError, ReeveError } from '#core/errors.ts';
import type { DamageDesk } from './damage.ts';
import { type LogBound, logBound, roomOnDisk } from './log-bound.ts';
import { addMissingColumns, schema } from './schema.ts';
import { type Statements, statements } from './statements.ts';
import { isDamage, isFull, storeError } from './store-error.ts';
import {
  countedTotals,
  type RunningTotals,
  readTotals,
  runningTotals,
  writeTotals,
} from './totals.ts';
import { compareTotals } from './totals-check.ts';
import { readTotalsFile, type TotalsFile, totalsFile } from './totals-file.ts';

export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly bound: LogBound;
  readonly totals: RunningTotals;
  /** Null for a database in memory. */
  readonly file: TotalsFile | null;
}

export const totalsPath = (path: string): string => `${path}-totals`;

/**
 * An exclusive lock is taken at the first read and held until it is closed.
 *
 * @throws {ReeveError} `store-unusable` when it cannot be opened or is in use; `store-full` when its disk
 * has no room for one write; `store-damaged` when SQLite cannot read it, or accepted work is missing
 */
export function openDatabase(path: string, damage: DamageDesk): OpenDatabase {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // FULL: a commit is answered only when it is on disk, or a power cut could take it back.
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
    `);
    return prepared(database, path, damage);
  } catch (cause) {
    if (database?.isOpen) database.close();
    if (cause instanceof ReeveError) throw cause;
    if (isFull(cause) || isDamage(cause)) throw storeError(cause, path);
    throw new ReeveError(
      'store-unusable',
      `Cannot open the state store ${path}. Is another Reeve running on the same data, or may the file not be written? Stop the other, or choose another REEVE_DATA.`,
      { cause },
    );
  }
}

function prepared(database: DatabaseSync, path: string, damage: DamageDesk): OpenDatabase {
  const isOnDisk = path !== ':memory:';
  const stored = readTotals(database);
  const onFile = isOnDisk ? readTotalsFile(totalsPath(path)) : { kind: 'absent' as const };
  const verdict = compareTotals(stored, onFile);
  if (verdict.kind === 'refuse') throw lostWork(path, verdict.why);
  const bound = logBound(database, roomOnDisk(path));
  database.exec(schema);
  addMissingColumns(database);
  if (verdict.report !== null) {
    damage.report({ table: 'Totals', row: null, reason: verdict.report });
  }
  const from = verdict.from ?? countedTotals(database);
  const first = { ...from, commits: from.commits + (isOnDisk ? 1 : 0) };
  // One write and a checkpoint, which also gives back the room of a log that a crash left: what a full
  // disk refuses is refused before anybody relies on this store.
  writeTotals(database, first);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const file = isOnDisk ? totalsFile(totalsPath(path)) : null;
  file?.write(first);
  return {
    database,
    sql: statements(database),
    bound,
    totals: runningTotals(database, first),
    file,
  };
}

/** SQLite cuts what it cannot read off the log when it closes it: a copy stays, for who wants to look. */
function lostWork(path: string, why: string): CorruptDataError {
  const log = `${path}-wal`;
  let kept = '';
  try {
    copyFileSync(log, `${log}.damaged`, constants.COPYFILE_EXCL);
    kept = ` The write-ahead log is kept as ${log}.damaged.`;
  } catch {
    // There is none, or one was kept before.
  }
  return new CorruptDataError(
    'store-damaged',
    `The state store ${path} has lost what it had accepted: ${why}. Restore a backup with \`reeve restore FILE\`, or go on with what is left after \`reeve check --accept-loss\`.${kept}`,
  );
}
