/** One restore at a time: two would use the same names for their copies. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { ReeveError } from '#core/model/errors.ts';
import { onFile } from '../file-error.ts';
import { openError } from '../open-database.ts';
import { sqlite } from '../sqlite.ts';

const lockPath = (path: string): string => `${path}.restoring-lock`;

/**
 * Does `restore` while no other process restores the same data. The lock ends with the process, also after a kill.
 *
 * @throws {ReeveError} `store-in-use` when another restore is at work; see file-error.ts
 */
export function asOnlyRestore<Result>(path: string, restore: () => Result): Result {
  const file = lockPath(path);
  const inUse = `Another restore of ${path} is at work. Wait until it ends.`;
  const made = onFile('Cannot create the lock', file, () => {
    closeSync(openSync(file, 'a', 0o600));
    return inode(file);
  });
  const lock = new (sqlite().DatabaseSync)(file);
  try {
    locked(lock, file, inUse);
    // The other restore ended after the file was opened here, and deleted it: a third one may have made and locked another.
    if (inode(file) !== made) throw new ReeveError('store-in-use', inUse);
    try {
      return restore();
    } finally {
      rmSync(file, { force: true });
    }
  } finally {
    lock.close();
  }
}

function locked(lock: { exec(sql: string): void }, file: string, inUse: string): void {
  try {
    // Nothing is written, so that a full disk is found by the copy, which names it.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    throw openError(cause, file, inUse);
  }
}

const inode = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;
