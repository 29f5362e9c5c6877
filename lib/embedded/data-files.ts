/** The files of an embedded store. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CorruptDataError, errorCode, ReeveError } from '#core/model/errors.ts';
import { onFile } from './file-error.ts';

export const logPath = (path: string): string => `${path}-wal`;
export const totalsPath = (path: string): string => `${path}-totals`;
/** SQLite's rollback journal: a kill may leave it while the database is not in WAL mode yet. */
export const journalPath = (path: string): string => `${path}-journal`;

/** The data: the database, its write-ahead log, its rollback journal and its totals file. */
export const dataFiles = (path: string): readonly string[] => [
  path,
  logPath(path),
  journalPath(path),
  totalsPath(path),
];

/**
 * The file that a symbolic link leads to: SQLite puts the log beside that one, so all files of the data belong there. Any other path stays
 * as it is, also in a folder that is a link.
 *
 * @throws {ReeveError} `store-unusable` when the link leads to no file: new data there would hide those of a disk that is not mounted.
 *   See also file-error.ts
 */
export function behindLink(path: string): string {
  return onFile('Cannot look for', path, () => {
    if (!isLink(path)) return path;
    if (isThere(path)) return realpathSync(path);
    const target = resolve(dirname(path), readlinkSync(path));
    throw new ReeveError(
      'store-unusable',
      `Cannot open the state store ${path}: it is a link to ${target}, which does not exist. Nothing was changed. Mount its disk, or remove the link to begin with new data.`,
    );
  });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch (error) {
    // A part of the path is a file: no entry, as for `sizeOf`.
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

export const isThere = (path: string): boolean => sizeOf(path) !== null;

/**
 * The size in bytes; null when the file does not exist.
 *
 * @throws {ReeveError} see file-error.ts: that a file is there cannot be known, such as in a folder of another user
 */
export function sizeOf(path: string): number | null {
  const found = onFile('Cannot look for', path, () => statSync(path, { throwIfNoEntry: false }));
  return found?.size ?? null;
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

/** `name`, or the first of `name-2`, `name-3` and so on that is not taken: what was kept before is never replaced. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name}-${count}`;
  return free;
}

/** A durable copy of a file that is about to be replaced. */
export function keptCopy(file: string, to: string): void {
  copyFileSync(file, to);
  onDisk(to);
  onDisk(dirname(to));
}

/** Makes a file, or the names in a folder, durable: a power cut after this does not undo it. */
export function onDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the database and its log, without the totals file.
 *
 * @param file the database, see read-only.ts
 */
export function copyDatabase(file: number, path: string, to: string): void {
  copyOpen(file, to);
  if (isThere(logPath(path))) copyFileSync(logPath(path), logPath(to));
}

/** Read at once, bytes. */
const chunkBytes = 1_048_576;

function copyOpen(file: number, to: string): void {
  const copy = openSync(to, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let at = 0; ; ) {
      const length = readSync(file, chunk, 0, chunkBytes, at);
      if (length === 0) return;
      writeFileSync(copy, chunk.subarray(0, length));
      at += length;
    }
  } finally {
    closeSync(copy);
  }
}

/** Deletes a database, with every file that SQLite or Reeve may have put beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '-totals']) {
    rmSync(path + suffix, { force: true });
  }
}
