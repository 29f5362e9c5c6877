/**
 * A file that has its name only when it is complete and on disk. Until then it has another name beside it, of its own, so that two which
 * are made at the same time do not mix: what a process leaves that dies meanwhile cannot be taken for the file.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, ReeveError } from '#core/model/errors.ts';
import { isThere, onDisk, removeDatabase } from '../data-files.ts';
import { onFile } from '../file-error.ts';

/** A part that was not written for so long, ms, has been left: a copy writes its file all the time. */
const leftAfterMs = 3_600_000;

/** The name for a new part of the file. */
export const partOf = (file: string): string => `${file}.${randomBytes(4).toString('hex')}.part`;

/** @throws {ReeveError} `file-exists`: a backup replaces no file */
export function assertNew(file: string): void {
  if (isThere(file)) throw exists(file);
}

/**
 * Deletes the parts of the file that processes have left which died, where this user may. One that is only stopped, and goes on later, fails
 * then, because its part is gone.
 *
 * @param nowMs of the clock that files get their instants from
 */
export function removeLeftParts(file: string, nowMs: number): void {
  const folder = dirname(file);
  const isLeft = (part: string) =>
    (statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) < nowMs - leftAfterMs;
  try {
    for (const name of readdirSync(folder)) {
      const part = join(folder, name);
      if (isPartOf(name, basename(file)) && isLeft(part)) removeDatabase(part);
    }
  } catch {
    // They take space, and no more: the backup is made all the same, or fails with a reason of its own.
  }
}

/** Also of the part of a part, which a running Reeve makes for the command line. */
function isPartOf(name: string, file: string): boolean {
  return name.startsWith(`${file}.`) && /^(?:\.[0-9a-f]{8}\.part)+$/.test(name.slice(file.length));
}

/**
 * Gives the complete part its name, unless a file has got that name meanwhile. The part may then still have its own name, too, which its
 * maker removes.
 *
 * @param link that of Node, unless a test gives another one
 * @throws {ReeveError} `file-exists`; see file-error.ts
 */
export function publish(part: string, file: string, link: typeof linkSync = linkSync): void {
  onFile('Cannot write the backup', file, () => onDisk(part));
  try {
    link(part, file);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw exists(file);
    onFile('Cannot write the backup', file, () => {
      if (!linkless.includes(code ?? '')) throw error;
      renameToNew(part, file);
    });
  }
  onFile('Cannot write the backup', file, () => onDisk(dirname(file)));
}

/** What file systems say that know no second name of a file, such as FAT. */
const linkless: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** An empty file takes the name, so that no other one is replaced. */
function renameToNew(part: string, file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw exists(file);
    throw error;
  }
  renameSync(part, file);
}

const exists = (file: string) =>
  new ReeveError('file-exists', `${file} exists. Name another file.`);
