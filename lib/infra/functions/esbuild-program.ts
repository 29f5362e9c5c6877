/** Runs a program of this folder that builds with esbuild, which is a dependency of those who deploy alone. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { ReeveError } from '#core/model/errors.ts';
import { reportDescriptor } from './report.ts';

const extension = extname(import.meta.filename);
const { resolve } = createRequire(import.meta.filename);
/** The standard error of this process, also for the standard output of the program: that of an app may be its template. */
const here = 2;

/**
 * Runs the program in a process of its own, and returns what it reports.
 *
 * @param argument passed as JSON
 * @param find how packages are found; throws for one that is not installed
 * @throws {ReeveError} `esbuild-missing`; `bundling-failed` when the program fails, which has then written why
 */
export function runEsbuildProgram(
  name: 'bundle' | 'run-module',
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
  const { status, output, error } = spawnSync(
    process.execPath,
    [program, JSON.stringify(argument)],
    {
      encoding: 'utf8',
      stdio: ['ignore', here, here, 'pipe'],
    },
  );
  if (status === 0) return output[reportDescriptor] ?? '';
  throw new ReeveError(
    'bundling-failed',
    'The code of the functions cannot be built, or its workflows cannot be loaded; the reason is above.',
    error === undefined ? {} : { cause: error },
  );
}
