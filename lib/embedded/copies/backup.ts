/** Copies a database that is in use to another file. */
import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeError, ReeveError, UnavailableError } from '#core/model/errors.ts';
import { removeDatabase } from '../data-files.ts';
import { onFile } from '../file-error.ts';
import { sqlite } from '../sqlite.ts';
import { isDamage, isFull, isNoError, storeClosed, storeError } from '../store-error.ts';
import { assertNew, partOf, publish, removeLeftParts } from './new-file.ts';

/**
 * Node fails a copy now and then while the database is written, with an error of SQLite whose code is 0, "not an error". Nothing is wrong
 * then, and the next copy succeeds.
 */
const triesMax = 10;

/** Pages copied at a time. A write waits for one such batch, a millisecond. */
const pagesAtOnce = 100;

/**
 * Only its owner may read the copy, because it contains all details. It has its name when it is complete (new-file.ts).
 *
 * @param path the database file, for messages
 * @param given a file that does not exist
 * @param copy that of Node, unless a test gives another one
 * @throws {ReeveError} see file-error.ts; `file-exists`, `disk-full`, `backup-failed`, `store-damaged`, `store-closed`
 */
export async function copyInUse(
  database: DatabaseSync,
  path: string,
  given: string,
  copy: ReturnType<typeof sqlite>['backup'] = sqlite().backup,
): Promise<void> {
  // SQLite takes a name that begins with `file:` for a URI: it would write another file, that other users may read.
  const to = resolve(given);
  const assertOpen = () => {
    if (!database.isOpen) throw storeClosed(path);
  };
  assertNew(to);
  for (let tries = 1; ; tries += 1) {
    const part = partOf(to);
    onFile('Cannot write the backup', to, () => closeSync(openSync(part, 'wx', 0o600)));
    try {
      removeLeftParts(to, statSync(part).mtimeMs);
      assertOpen();
      // A copy keeps the lock on the data until it ends, also when they are closed meanwhile.
      await copy(database, part, { rate: pagesAtOnce, progress: assertOpen });
      publish(part, to);
      return;
    } catch (error) {
      if (isNoError(error) && tries < triesMax) continue;
      throw isDamage(error) ? storeError(error, path) : backupFailed(error, 'write', to);
    } finally {
      removeDatabase(part);
    }
  }
}

/** Translates an error of the copy into an error of lib/core. */
export function backupFailed(error: unknown, doing: 'write' | 'check', to: string): unknown {
  if (error instanceof ReeveError) return error;
  if (isFull(error)) {
    const message = `Cannot ${doing} the backup ${to}: its disk is full. Free space on it.`;
    return new UnavailableError('disk-full', message, { cause: error });
  }
  const said = describeError(error);
  const message = `Cannot ${doing} the backup ${to} (SQLite: ${said}).`;
  return new UnavailableError('backup-failed', message, { cause: error });
}
