/** Replaces the data by a backup. */
import { chmodSync, closeSync, copyFileSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ReeveError } from '#core/model/errors.ts';
import { examineBackup } from '#embedded/integrity/examine.ts';
import { writeTotalsFile } from '#embedded/integrity/totals-file.ts';
import {
  behindLink,
  dataFiles,
  freeName,
  isThere,
  journalPath,
  keptCopy,
  logPath,
  onDisk,
  removeDatabase,
  sizeOf,
  totalsPath,
} from '../data-files.ts';
import { onFile } from '../file-error.ts';
import { makeFolder } from '../folder.ts';
import { openError } from '../open-database.ts';
import { openUntouched } from '../read-only.ts';
import { isDamage } from '../store-error.ts';
import { asOnlyRestore } from './one-restore.ts';

/** The result of a restore. */
export interface Restored {
  /** Where the former data was moved; null when there was none. */
  readonly kept: string | null;
  readonly orders: number | null;
  readonly changes: number | null;
}

/** True when any file of the data exists; a log alone is also worth keeping. */
export const hasData = (path: string): boolean => dataFiles(path).some(isThere);

/**
 * Renames the former data, but only after the backup was copied and checked.
 *
 * @throws {ReeveError} `store-in-use` when a Reeve is running on the data, or another restore of them is; `backup-damaged`; see file-error.ts
 */
export function restoreData(backup: string, to: string, stamp: string): Restored {
  const path = behindLink(to);
  assertReadable(backup);
  assertBackup(behindLink(backup), copyPath(path));
  makeFolder(dirname(path));
  return asOnlyRestore(path, () => restoreTo(path, backup, stamp));
}

const copyPath = (path: string): string => `${path}.restoring`;

function restoreTo(path: string, backup: string, stamp: string): Restored {
  const copy = copyPath(path);
  assertUnused(path);
  removeDatabase(copy);
  try {
    const { orders, changes } = checkedCopy(backup, copy);
    const kept = hasData(path)
      ? freeName(`${path}.replaced-${stamp}`, (name) => dataFiles(name).some(isThere))
      : null;
    // The copy and its check take minutes for large data: Reeve may have been started since.
    assertUnused(path);
    onFile('Cannot replace the data', path, () => replace(path, kept, copy));
    return { kept, orders, changes };
  } finally {
    removeDatabase(copy);
  }
}

/**
 * From the first change to the last one there is a totals file. So a start after a kill finds the former database with its own log, or the
 * new one, or is refused: it never begins with empty data.
 *
 * @param kept the name of the former data; null: there are none
 */
function replace(path: string, kept: string | null, copy: string): void {
  const totals = totalsPath(path);
  // Copied, because a rename would leave a start without it.
  if (kept !== null && isThere(totals)) keptCopy(totals, totalsPath(kept));
  // Data without a totals file get the new one at once. A former one stays until its database is gone, because it may be what refuses it.
  if ((sizeOf(totals) ?? 0) === 0) renameSync(totalsPath(copy), totals);
  onDisk(dirname(path));
  // The database first: its log must never be missing beside it.
  for (const file of [path, logPath(path), journalPath(path)]) {
    if (kept !== null && isThere(file)) renameSync(file, kept + file.slice(path.length));
  }
  if (isThere(totalsPath(copy))) renameSync(totalsPath(copy), totals);
  // The new database must not be found beside the former log after a power cut.
  onDisk(dirname(path));
  renameSync(copy, path);
  onDisk(dirname(path));
}

/** A durable copy with its totals file. */
function checkedCopy(backup: string, copy: string) {
  onFile(`Cannot copy the backup ${backup} to`, copy, () => {
    copyFileSync(backup, copy);
    // The backup may be readable by other users.
    chmodSync(copy, 0o600);
    onDisk(copy);
  });
  const { findings, totals, orders, changes } = examineBackup(copy);
  const [first] = findings;
  if (first !== undefined || totals === null) {
    throw new ReeveError(
      'backup-damaged',
      `The backup ${backup} is damaged: ${first?.reason ?? 'it has no totals.'} Nothing was changed. Take another backup.`,
    );
  }
  onFile('Cannot write the totals file', totalsPath(copy), () => {
    writeTotalsFile(totalsPath(copy), totals);
    onDisk(totalsPath(copy));
  });
  return { orders, changes };
}

/** Called before any file is created or moved. */
function assertReadable(backup: string): void {
  onFile('Cannot read the backup', backup, () => {
    const file = openSync(backup, 'r');
    try {
      readSync(file, Buffer.alloc(1));
    } finally {
      closeSync(file);
    }
  });
}

/** A backup of Reeve is one file; of other files the restore would lose work without a word, or the file itself. */
function assertBackup(backup: string, copy: string): void {
  const log = [logPath(backup), journalPath(backup)].find((file) => (sizeOf(file) ?? 0) > 0);
  if (log !== undefined) {
    throw new ReeveError(
      'backup-damaged',
      `${backup} is not a backup: ${log} beside it has a part of its work. Nothing was changed. To use these data, copy the file with all that have its name and an ending into an empty directory, as reeve.db and so on, and start Reeve with it (--data, REEVE_DATA).`,
    );
  }
  if (resolve(backup) === resolve(copy)) {
    throw new ReeveError(
      'backup-damaged',
      `${backup} is the copy of a restore that was interrupted, which the next restore deletes. Nothing was changed. Give it another name first.`,
    );
  }
}

function assertUnused(path: string): void {
  // SQLite would delete the log of an empty database.
  if ((sizeOf(path) ?? 0) === 0) return;
  try {
    openUntouched(path).close();
  } catch (cause) {
    // Damaged data is the usual reason for a restore.
    if (isDamage(cause)) return;
    throw openError(cause, path, `Another process uses the state store ${path}. Stop Reeve first.`);
  }
}
