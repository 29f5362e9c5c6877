/** Opens the database of the state store: nobody else writes it, and nothing that was on disk is missing. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CorruptDataError, describeError, ReeveError } from '#core/model/errors.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import {
  countedTotals,
  type RunningTotals,
  readTotals,
  runningTotals,
  writeTotals,
} from '#embedded/integrity/totals.ts';
import { compareTotals, type TotalsVerdict } from '#embedded/integrity/totals-check.ts';
import { readTotalsFile, type TotalsFile, totalsFile } from '#embedded/integrity/totals-file.ts';
import { assertNotGone, hasLog, isThere, totalsPath } from './data-files.ts';
import { type LogBound, logBound, roomOnDisk } from './log-bound.ts';
import { openUntouched } from './read-only.ts';
import { addMissingColumns, schema } from './schema.ts';
import { type Statements, statements } from './statements.ts';
import { isBusy, isDamage, isFull, storeError } from './store-error.ts';

export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly bound: LogBound;
  readonly totals: RunningTotals;
  /** Null for a database in memory. */
  readonly file: TotalsFile | null;
}

/**
 * An exclusive lock is taken at the first read and held until it is closed. What is refused is left as it was,
 * byte by byte.
 *
 * @param acceptsLoss goes on with what is there, whatever the totals file says, and begins that anew
 * @throws {ReeveError} `store-in-use`; `store-unusable` when it cannot be opened; `store-full` when its disk
 * has no room for one write; `store-damaged` when SQLite cannot read it, or accepted work is missing
 */
export function openDatabase(
  path: string,
  damage: DamageReport,
  acceptsLoss = false,
): OpenDatabase {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') assertWhole(path, acceptsLoss);
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const verdict = agreed(database, path, acceptsLoss);
    if (acceptsLoss) rmSync(totalsPath(path), { force: true });
    // FULL: a commit is answered only when it is on disk, or a power cut could take it back.
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
    `);
    return prepared(database, path, verdict, damage);
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw openError(cause, path);
  }
}

/** What kept the data from being opened, as an error of lib/core; `then`: what to do when they are in use. */
export function openError(
  cause: unknown,
  path: string,
  then = 'Stop it, or choose another REEVE_DATA.',
): unknown {
  if (cause instanceof ReeveError) return cause;
  if (isBusy(cause)) {
    const message = `Another process uses the state store ${path}. ${then}`;
    return new ReeveError('store-in-use', message, { cause });
  }
  if (isFull(cause) || isDamage(cause)) return storeError(cause, path);
  const said = describeError(cause);
  return new ReeveError(
    'store-unusable',
    `Cannot open the state store ${path} (${said}). See that its folder is there, and that this user may read and write both.`,
    { cause },
  );
}

/** Of a log that it cannot read whole SQLite cuts off the rest when it closes it: so the look comes first. */
function assertWhole(path: string, acceptsLoss: boolean): void {
  assertNotGone(path);
  if (!isThere(path)) {
    makeOwn(path);
    return;
  }
  if (!hasLog(path)) return;
  const { database, close } = openUntouched(path);
  try {
    agreed(database, path, acceptsLoss);
  } finally {
    close();
  }
}

/** SQLite would let everybody read it, whose folder lets them. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // SQLite cannot make it either, and says so.
  }
}

type GoOn = Extract<TotalsVerdict, { kind: 'goOn' }>;

/** @throws {CorruptDataError} `store-damaged` when the database has less than its totals file says */
function agreed(database: DatabaseSync, path: string, acceptsLoss: boolean): GoOn {
  const isAlone = acceptsLoss || path === ':memory:';
  const onFile = isAlone ? { kind: 'absent' as const } : readTotalsFile(totalsPath(path));
  const verdict = compareTotals(readTotals(database), onFile);
  if (verdict.kind === 'goOn') return isAlone ? { ...verdict, report: null } : verdict;
  throw new CorruptDataError(
    'store-damaged',
    `The state store ${path} has lost what it had accepted: ${verdict.why}. Nothing was changed. Restore a backup with \`reeve restore FILE --yes\`, or go on with what is left after \`reeve check --accept-loss\`.`,
  );
}

function prepared(
  database: DatabaseSync,
  path: string,
  verdict: GoOn,
  damage: DamageReport,
): OpenDatabase {
  const isOnDisk = path !== ':memory:';
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
