/** Creates a folder that only its owner may enter. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { onFile } from './file-error.ts';

/**
 * Creates missing parent folders too; does nothing when the folder exists. Does not use Node's `recursive`: it loops
 * for ever on a file system that refuses to create folders with ENOENT, such as /proc.
 *
 * @throws {ReeveError} see file-error.ts
 */
export function makeFolder(path: string): void {
  const found = onFile('Cannot look for the folder', path, () =>
    statSync(path, { throwIfNoEntry: false }),
  );
  if (found?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  onFile('Cannot make the folder', path, () => mkdirSync(path, { mode: 0o700 }));
}
