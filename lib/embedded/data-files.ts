/** The files of an embedded store. */
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { CorruptDataError } from '#core/model/errors.ts';

export const logPath = (path: string): string => `${path}-wal`;
export const totalsPath = (path: string): string => `${path}-totals`;

/** The data: the database, its write-ahead log and its totals file. */
export const dataFiles = (path: string): readonly string[] => [
  path,
  logPath(path),
  totalsPath(path),
];

export const isThere = (path: string): boolean => sizeOf(path) !== null;

/** The size in bytes; null when the file does not exist. */
export function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

export const hasLog = (path: string): boolean => (sizeOf(logPath(path)) ?? 0) > 0;

/**
 * Checks that the database was not removed while its log or totals file still exists. SQLite must not open it then:
 * it would create a new database, and delete the log of the old one.
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
    `The state store ${path} ${what}, though ${left.join(' and ')} ${left.length === 1 ? 'exists' : 'exist'}. Nothing was changed. Put the file back, or restore a backup with \`reeve restore FILE --yes\`. To start without the accepted orders, move these files away.`,
  );
}

/** Copies the database and its log, without the totals file. */
export function copyDatabase(path: string, to: string): void {
  copyFileSync(path, to);
  if (isThere(logPath(path))) copyFileSync(logPath(path), logPath(to));
}

/** Deletes a database, with every file that SQLite or Reeve may have put beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '-totals']) {
    rmSync(path + suffix, { force: true });
  }
}
