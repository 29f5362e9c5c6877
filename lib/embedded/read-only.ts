/** Opens the database for reading, and leaves every file on disk as it was. */

import { closeSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isThere, logPath } from './data-files.ts';
import { sqlite } from './sqlite.ts';

/** A database that is open for reading. */
export interface Untouched {
  readonly database: DatabaseSync;
  /**
   * The database file, for reading. Until `close`, nothing else may open that file and close it: with any descriptor of it that is closed, the
   * system takes the locks of SQLite on it from this process.
   */
  readonly file: number;
  close(): void;
}

/**
 * While it is open, no other process can open the data for writing. The file must exist.
 *
 * @throws SQLite's error
 */
export function openUntouched(path: string): Untouched {
  // A connection that may write copies the readable part of the log on close, and deletes the log, also one that lost its content:
  // with a log, open read-only. Without a log, a read-only connection would leave an empty one.
  const hasLog = isThere(logPath(path));
  const database = new (sqlite().DatabaseSync)(path, { readOnly: hasLog });
  // Reading a log creates an index file; Reeve itself never needs one, because it locks the data exclusively.
  const index = `${path}-shm`;
  const hadIndex = isThere(index);
  let file: number | null = null;
  const close = () => {
    database.close();
    if (file !== null) closeSync(file);
    if (!hadIndex) rmSync(index, { force: true });
  };
  try {
    if (!hasLog) database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    // Not before: another Reeve of this process may have the lock, and would lose it.
    file = openSync(path, 'r');
    return { database, file, close };
  } catch (error) {
    close();
    throw error;
  }
}
