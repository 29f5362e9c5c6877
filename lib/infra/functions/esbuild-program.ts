/** Runs a program of this folder that builds with esbuild, which is a dependency of those who deploy alone. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { ReeveError } from '#core/model/errors.ts';

const extension = extname(import.meta.filename);
const { resolve } = createRequire(import.meta.filename);

/**
 * Runs the program in a process of its own, and returns its standard output.
 *
 * @param argument passed as JSON
 * @param find how packages are found; throws for one that is not installed
 * @throws {ReeveError} `esbuild-missing`; `bundling-failed` when the program fails, which has then written why
 */
export function runEsbuildProgram(
  name: 'bundle' | 'read-limits',
  argument: object,
  find: (name: string) => string = resolve,
): string {
  try {
    find('esbuild');
  } catch (cause) {
    throw new ReeveError(
      'esbuild-missing',
      'Reeve bundles its functions with esbuild, which is not installed. Run: npm i -D esbuild',
      { cause },
    );
  }
  const program = join(import.meta.dirname, `${name}${extension}`);
  try {
    return execFileSync(process.execPath, [program, JSON.stringify(argument)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } catch (cause) {
    throw new ReeveError(
      'bundling-failed',
      'The code of the functions cannot be built, or its workflows cannot be loaded; the reason is above.',
      { cause },
    );
  }
}
