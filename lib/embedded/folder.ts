/** Makes a folder that only its owner may enter. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { onFile } from './file-error.ts';

/**
 * With the folders above it, where there is none; nothing when it is there. Not by Node's own `recursive`: that
 * never ends on a file system that has no such folder and makes none, such as /proc, because each of its tries is
 * answered that a folder above is missing.
 *
 * @throws {ReeveError} see file-error.ts
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  onFile('Cannot make the folder', path, () => mkdirSync(path, { mode: 0o700 }));
}
