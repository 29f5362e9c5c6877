/** Opens the database to look at it: nothing on disk is another when it is closed again. */
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hasLog, isThere } from './data-files.ts';

export interface Untouched {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * While it is open, nobody else can open the data to write them. The file must be there.
 *
 * @throws SQLite's error
 */
export function openUntouched(path: string): Untouched {
  // Whoever may write the database copies the log into it when he closes it, as far as he can read the log, and
  // deletes the log. Without a log there is nothing to copy, and whoever may only read would leave an empty one.
  const database = new DatabaseSync(path, { readOnly: hasLog(path) });
  // A reader of a log needs an index of it on disk; a Reeve, which has the data alone, never has one.
  const index = `${path}-shm`;
  const hadIndex = isThere(index);
  const close = () => {
    database.close();
    if (!hadIndex) rmSync(index, { force: true });
  };
  try {
    if (!hasLog(path)) database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { database, close };
  } catch (error) {
    close();
    throw error;
  }
}
