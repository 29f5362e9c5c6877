/**
 * Whether the database file is the one that its write-ahead log continues. SQLite checks this only without a log: with one, it takes the
 * number of pages from the log, and meets a lost page when a query comes to it, which may be after a start has copied the log into the
 * broken file and deleted it.
 */
import { readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { CorruptDataError, describeError } from '#core/model/errors.ts';
import { hasLog, logPath, sizeOf } from '#embedded/data-files.ts';
import type { Untouched } from '#embedded/read-only.ts';
import { sqlite } from '#embedded/sqlite.ts';
import { isDamage } from '#embedded/store-error.ts';
import { type LogFrames, logFrames } from './log-frames.ts';
import { readTotals, type Totals } from './totals.ts';

type Opened = Omit<Untouched, 'close'>;

/**
 * Costs a read of 24 bytes for each page in the log.
 *
 * @param opened open for reading, with its log
 * @throws {CorruptDataError} `store-damaged` when pages are neither in the file nor in the log, or the file is another one
 */
export function assertWholeFile(opened: Opened, path: string): void {
  const log = hasLog(path) ? logFrames(logPath(path)) : null;
  if (log === null) return;
  assertPages(opened, path, log);
  assertContinued(opened.database, path, log);
}

/** The end of the sentence about damage that no accepted loss repairs. */
export const backupOnly =
  'Nothing was changed. Restore a backup with `reeve restore FILE --yes`: `reeve check --accept-loss` cannot repair this.';

/** Runs `read` before a start has changed anything. @throws {CorruptDataError} `store-damaged` when SQLite meets damage in it */
export function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new CorruptDataError(
      'store-damaged',
      `SQLite cannot read the state store ${path}: ${describeError(error)}. ${backupOnly}`,
      { cause: error },
    );
  }
}

const countRow = z.object({ page_count: z.int() });

function assertPages({ database, file }: Opened, path: string, log: LogFrames): void {
  const { page_count: all } = countRow.parse(database.prepare('PRAGMA page_count').get());
  // A page that was cut counts, as for SQLite without a log: the rows in it are reported as damaged.
  const own = Math.ceil((sizeOf(path) ?? 0) / log.pageBytes);
  let missing = 0;
  for (let page = own + 1; page <= all; page += 1) {
    if (!log.pages.has(page) && page !== lockPage(log.pageBytes)) missing += 1;
  }
  if (missing > 0) {
    const what = `is not whole: ${missing} of its ${all} pages are neither in it nor in its log.`;
    throw new CorruptDataError('store-damaged', `The state store ${path} ${what} ${backupOnly}`);
  }
  if (!isDatabase(file)) assertRestIntact(database, path);
}

/** The log may have all that was overwritten. To find out takes a second for each few hundred MB. */
function assertRestIntact(database: DatabaseSync, path: string): void {
  const [said] = database.prepare('PRAGMA integrity_check(1)').all();
  if (said?.['integrity_check'] === 'ok') return;
  throw new CorruptDataError(
    'store-damaged',
    `The state store ${path} was overwritten: its file does not begin as a database. ${backupOnly}`,
  );
}

/** SQLite locks bytes behind the first GiB, and never writes the page that has them. */
const lockPage = (pageBytes: number) => 2 ** 30 / pageBytes + 1;

const signature = 'SQLite format 3\0';

/** While the log has the first page, SQLite does not look at that of the file. */
function isDatabase(file: number): boolean {
  const first = Buffer.alloc(signature.length);
  readSync(file, first, 0, first.length, 0);
  return first.toString('latin1') === signature;
}

/** Each transaction counts a commit. So the file without its log must have those before the first one of the log. */
function assertContinued(database: DatabaseSync, path: string, log: LogFrames): void {
  const [now, alone] = [readTotals(database), totalsAlone(path)];
  if (now.kind !== 'read' || alone === null) return;
  if (alone.store === now.totals.store && alone.commits >= now.totals.commits - log.commits) return;
  const what = alone.store === now.totals.store ? 'an older copy of the data' : 'another database';
  throw new CorruptDataError(
    'store-damaged',
    `The state store ${path} is ${what}: ${logPath(path)} does not continue it. Nothing was changed. Put the file back that belongs to this log, or restore a backup with \`reeve restore FILE --yes\`.`,
  );
}

/** The totals without the log; null when they cannot be read, as after a kill while the log was copied. */
function totalsAlone(path: string): Totals | null {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  try {
    const database = new (sqlite().DatabaseSync)(url, { readOnly: true });
    try {
      const stored = readTotals(database);
      return stored.kind === 'read' ? stored.totals : null;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
