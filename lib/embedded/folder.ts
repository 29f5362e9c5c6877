/** Creates a folder that only its owner may enter. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '#core/model/errors.ts';
import { onFile } from './file-error.ts';

/**
 * Creates missing parent folders too; does nothing when the folder exists. Does not use Node's `recursive`: it loops
 * for ever on a file system that refuses to create folders with ENOENT, such as /proc.
 *
 * @param make that of Node, unless a test gives another one
 * @throws {ReeveError} see file-error.ts
 */
export function makeFolder(path: string, make: typeof mkdirSync = mkdirSync): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, make);
  onFile('Cannot make the folder', path, () => {
    try {
      make(path, { mode: 0o700 });
    } catch (error) {
      // Another process, which starts at the same time, may have made it meanwhile.
      if (errorCode(error) !== 'EEXIST' || !isFolder(path)) throw error;
    }
  });
}

export const isFolder = (path: string): boolean =>
  onFile('Cannot look for the folder', path, () =>
    statSync(path, { throwIfNoEntry: false }),
  )?.isDirectory() === true;
