/** Copies a database that is in use to a file of its own. */
import { closeSync, openSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { describeError, ReeveError, UnavailableError } from '#core/model/errors.ts';
import { removeDatabase } from './data-files.ts';
import { onFile } from './file-error.ts';
import { isDamage, isFull, storeError } from './store-error.ts';

/** Pages copied at a time: a write waits for no more, a millisecond. */
const pagesAtOnce = 100;

/**
 * The copy is nobody else's to read, because it holds all details; when it cannot be made whole, nothing is left of it.
 *
 * @param path the database file, for messages
 * @param to a file that does not exist
 * @throws {ReeveError} see file-error.ts; `disk-full`, `backup-failed`, `store-damaged`
 */
export async function copyInUse(database: DatabaseSync, path: string, to: string): Promise<void> {
  onFile('Cannot write the backup', to, () => closeSync(openSync(to, 'wx', 0o600)));
  try {
    await backup(database, to, { rate: pagesAtOnce });
  } catch (error) {
    removeDatabase(to);
    throw isDamage(error) ? storeError(error, path) : backupFailed(error, 'write', to);
  }
}

/** What SQLite says of the copy, as an error of lib/core. */
export function backupFailed(error: unknown, doing: 'write' | 'check', to: string): unknown {
  if (error instanceof ReeveError) return error;
  if (isFull(error)) {
    const message = `Cannot ${doing} the backup ${to}: its disk has no room. Make room on it.`;
    return new UnavailableError('disk-full', message, { cause: error });
  }
  const said = describeError(error);
  const message = `Cannot ${doing} the backup ${to} (SQLite: ${said}).`;
  return new UnavailableError('backup-failed', message, { cause: error });
}
