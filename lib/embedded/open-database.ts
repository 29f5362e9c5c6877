/** Opens the database of the state store, after it has checked that no other process uses it and no work is missing. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CorruptDataError, describeError, ReeveError } from '#core/model/errors.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { assertStartReads } from '#embedded/integrity/start-reads.ts';
import {
  countedTotals,
  type RunningTotals,
  readTotals,
  runningTotals,
  type Totals,
  writeTotals,
} from '#embedded/integrity/totals.ts';
import { compareTotals, type TotalsVerdict } from '#embedded/integrity/totals-check.ts';
import { readTotalsFile, type TotalsFile, totalsFile } from '#embedded/integrity/totals-file.ts';
import { assertWholeFile, readable } from '#embedded/integrity/whole-file.ts';
import { assertNotGone, isThere, sizeOf, totalsPath } from './data-files.ts';
import { onFile } from './file-error.ts';
import { isFolder } from './folder.ts';
import { type LogBound, logBound, roomOnDisk } from './log-bound.ts';
import { openUntouched } from './read-only.ts';
import { addMissingColumns, schema } from './schema.ts';
import { sqlite } from './sqlite.ts';
import { type Statements, statements } from './statements.ts';
import { isBusy, isDamage, isFull, storeError } from './store-error.ts';

/** An open database with its parts. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly bound: LogBound;
  readonly totals: RunningTotals;
  /** Null for a database in memory. */
  readonly file: TotalsFile | null;
}

/**
 * Holds an exclusive lock from the first read until it is closed. When it throws, no byte on disk has changed.
 *
 * @param acceptsLoss ignores the totals file, and replaces it
 * @throws {ReeveError} `node-unsupported`; `store-in-use`; `store-unusable` when it cannot be opened; `store-full` when its disk
 * has no space for one write; `store-damaged` when SQLite cannot read it, or accepted work is missing
 */
export function openDatabase(
  path: string,
  damage: DamageReport,
  acceptsLoss = false,
): OpenDatabase {
  const { DatabaseSync } = sqlite();
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') assertWhole(path, acceptsLoss);
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const verdict = agreed(database, path, acceptsLoss);
    if (acceptsLoss) rmSync(totalsPath(path), { force: true });
    // FULL: a commit returns only when it is on disk, so that a power cut cannot undo it. (macOS leaves it in the cache of the drive: fsync(2) there.)
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

/**
 * Translates an error of opening the data into an error of lib/core.
 *
 * @param inUse what to say when the data are in use
 */
export function openError(
  cause: unknown,
  path: string,
  inUse = `Another process, or another Reeve of this one, uses the state store ${path}. Stop it, or choose other data: with the option \`path\` of \`startLocalReeve\`, or with REEVE_DATA for \`reeve start\` and \`reeve dev\`.`,
): unknown {
  if (cause instanceof ReeveError) return cause;
  if (isBusy(cause)) return new ReeveError('store-in-use', inUse, { cause });
  if (isFull(cause) || isDamage(cause)) return storeError(cause, path);
  const said = describeError(cause);
  const remedy = isFolder(path)
    ? `It is a folder: name a file, such as ${join(path, 'reeve.db')}.`
    : 'Check that its folder exists, and that this user may read and write both.';
  return new ReeveError(
    'store-unusable',
    `Cannot open the state store ${path} (${said}). ${remedy}`,
    { cause },
  );
}

/**
 * Checks without changes first: SQLite truncates a damaged log when it closes the database, and a start copies a log into a database of
 * which other pages may be lost.
 */
function assertWhole(path: string, acceptsLoss: boolean): void {
  assertNotGone(path);
  if (!isThere(path)) makeOwn(path);
  if (sizeOf(path) === 0) return;
  readable(path, () => {
    const { database, file, close } = openUntouched(path);
    try {
      assertWholeFile({ database, file }, path);
      agreed(database, path, acceptsLoss);
      assertStartReads(database, path);
    } finally {
      close();
    }
  });
}

/** SQLite would create a file that other users may read. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // SQLite then fails too, with a better message.
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
    `The state store ${path} has lost accepted work: ${verdict.why}. Nothing was changed. Restore a backup with \`reeve restore FILE --yes\`, or run \`reeve check --accept-loss\` to continue without it.`,
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
  if (verdict.report !== null) {
    damage.report({ table: 'Totals', row: null, reason: verdict.report });
  }
  // One transaction: a start that is killed leaves the data that it found, or complete ones. Tables without the row of totals would be damage.
  database.exec('BEGIN IMMEDIATE');
  database.exec(schema);
  addMissingColumns(database);
  const from = verdict.from ?? countedTotals(database);
  const first = { ...from, commits: from.commits + (isOnDisk ? 1 : 0) };
  // One write and a checkpoint, so that a full disk fails the start and not the first order. The checkpoint also
  // frees the space of a log that a crash left.
  writeTotals(database, first);
  const file = isOnDisk ? countedFile(path, from) : null;
  try {
    database.exec('COMMIT');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    file?.write(first);
    return {
      database,
      sql: statements(database),
      bound,
      totals: runningTotals(database, first),
      file,
    };
  } catch (error) {
    file?.close();
    throw error;
  }
}

/** Where there is none, or one of other data, it is written before the first commit: a kill between the two must not look like a loss. */
function countedFile(path: string, from: Totals): TotalsFile {
  return onFile('Cannot write the totals file', totalsPath(path), () => {
    const file = totalsFile(totalsPath(path));
    try {
      const { before } = file;
      if (before.kind !== 'read' || before.totals.store !== from.store) file.write(from);
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  });
}
