/** The code of all functions, bundled at once: one run of esbuild for a whole stack takes a second. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const bundler = join(import.meta.dirname, 'bundle.ts');

/**
 * Bundles each entry with the workflows in it.
 *
 * @param entries source files by the name of the function
 * @param workflows the module that exports `workflows`
 * @param outdir where to; what is there is removed first
 * @returns the folder of each function's `index.mjs`, by name
 */
export type Bundle = (
  entries: Readonly<Record<string, string>>,
  workflows: string,
  outdir: string,
) => (name: string) => string;

export const bundle: Bundle = (entries, workflows, outdir) => {
  rmSync(outdir, { recursive: true, force: true });
  execFileSync(process.execPath, [bundler, JSON.stringify({ entries, outdir, workflows })], {
    stdio: 'inherit',
  });
  return (name) => join(outdir, name);
};
