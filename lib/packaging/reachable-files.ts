/** The files that the entry points need: the compiler also writes those that only have types. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { specifiersOf } from './import-specifiers.ts';

/** What is reachable from some files. */
export interface Reachable {
  /** Paths of files, relative to the folder. */
  readonly files: ReadonlySet<string>;
  /** Specifiers of packages, each with the files that import it. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
}

/**
 * Follows relative imports, except that of the package file, which the build writes. `.d.ts` files follow declarations, because their specifiers end with `.js` as well.
 *
 * @throws {Error} when a file is missing
 */
export function reachableFiles(folder: string, from: readonly string[]): Reachable {
  const files = new Set<string>();
  const packages = new Map<string, string[]>();
  const left = [...from];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (files.has(file)) continue;
    if (!existsSync(join(folder, file))) throw new Error(`${file} was not compiled.`);
    files.add(file);
    for (const specifier of specifiersOf(readFileSync(join(folder, file), 'utf8'))) {
      if (!specifier.startsWith('.')) {
        packages.set(specifier, [...(packages.get(specifier) ?? []), file]);
      } else if (!specifier.endsWith('/package.json')) {
        const path = join(dirname(file), specifier);
        left.push(file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path);
      }
    }
  }
  return { files, packages };
}
