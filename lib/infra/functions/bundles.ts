/** Bundles all functions of a stack in one run of esbuild, which takes a second. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const bundler = join(import.meta.dirname, 'bundle.ts');

/**
 * Bundles each entry with the given workflows.
 *
 * @param entries source files by function name
 * @param workflows the module that exports `workflows`
 * @param outdir the output folder; existing content is deleted
 * @returns the folder of each function's `index.mjs`, by name
 */
export type Bundle = (
  entries: Readonly<Record<string, string>>,
  workflows: string,
  outdir: string,
) => (name: string) => string;

/** Bundles with esbuild, in a process of its own. @throws when esbuild reports an error */
export const bundle: Bundle = (entries, workflows, outdir) => {
  rmSync(outdir, { recursive: true, force: true });
  execFileSync(process.execPath, [bundler, JSON.stringify({ entries, outdir, workflows })], {
    stdio: 'inherit',
  });
  return (name) => join(outdir, name);
};
