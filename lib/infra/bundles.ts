/** The code of all functions, bundled at once: one run of esbuild for a whole stack takes a second. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bundler = join(import.meta.dirname, 'bundle.ts');

/**
 * Bundles each entry with the workflows in it.
 *
 * @param entries source files by the name of the function
 * @param workflows the module that exports `workflows`
 * @returns the folder of each function's `index.mjs`, by name
 */
export function bundle(
  entries: Readonly<Record<string, string>>,
  workflows: string,
): (name: string) => string {
  const outdir = mkdtempSync(join(tmpdir(), 'reeve-bundles-'));
  execFileSync(process.execPath, [bundler, JSON.stringify({ entries, outdir, workflows })], {
    stdio: 'inherit',
  });
  return (name) => join(outdir, name);
}
