/** The files of an embedded store, and which of them are there. */
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { CorruptDataError } from '#core/model/errors.ts';

export const logPath = (path: string): string => `${path}-wal`;
export const totalsPath = (path: string): string => `${path}-totals`;

/** All that belongs to the data: the database, its write-ahead log, its totals file. */
export const dataFiles = (path: string): readonly string[] => [
  path,
  logPath(path),
  totalsPath(path),
];

export const isThere = (path: string): boolean => sizeOf(path) !== null;

/** In bytes; null where there is no file. */
export function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

export const hasLog = (path: string): boolean => (sizeOf(logPath(path)) ?? 0) > 0;

/**
 * The database is not there, or empty, and what lies beside it says that it was. SQLite must not open
 * it then: it makes a new one, and deletes the log of the old one.
 *
 * @throws {CorruptDataError} `store-damaged`
 */
export function assertNotGone(path: string): void {
  const size = sizeOf(path);
  if ((size ?? 0) > 0) return;
  const left = [logPath(path), totalsPath(path)].filter((file) => (sizeOf(file) ?? 0) > 0);
  if (left.length === 0) return;
  const what = size === null ? 'is missing' : 'is empty';
  throw new CorruptDataError(
    'store-damaged',
    `The state store ${path} ${what}, though ${left.join(' and ')} ${left.length === 1 ? 'is' : 'are'} there. Nothing was changed. Put the file back, or restore a backup with \`reeve restore FILE --yes\`. To begin without what was accepted, move these files away.`,
  );
}

/** A copy of the database and of its log, without the totals file. */
export function copyDatabase(path: string, to: string): void {
  copyFileSync(path, to);
  if (isThere(logPath(path))) copyFileSync(logPath(path), logPath(to));
}

/** A database that is of no use, with all that SQLite may have left beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '-totals']) {
    rmSync(path + suffix, { force: true });
  }
}
