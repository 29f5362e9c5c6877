/** Bundles the functions of a deployment, in one process for all. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runEsbuildProgram } from './esbuild-program.ts';

/**
 * Bundles each function into a folder of its own.
 *
 * @param sources the text of each entry module, by the name of its function
 * @param outdir the folder for the folders of functions that are not bundled yet
 * @returns the folder of each function's `index.mjs` and of the files that it imports, by name
 */
export type Bundle = (
  sources: Readonly<Record<string, string>>,
  outdir: string,
) => (name: string) => string;

/** The folder of each entry module that this process has bundled: an app may have several stacks with the same code. */
const known = new Map<string, string>();
const isBundled = (source: string) =>
  existsSync(join(known.get(source) ?? '', 'index.mjs')) && known.has(source);

/** Bundles with esbuild what this process has not bundled yet. @throws {ReeveError} `bundling-failed` */
export const bundle: Bundle = (sources, outdir) => {
  const missing = Object.entries(sources).filter(([, source]) => !isBundled(source));
  for (const [name] of missing) rmSync(join(outdir, name), { recursive: true, force: true });
  if (missing.length > 0) {
    runEsbuildProgram('bundle', { sources: Object.fromEntries(missing), outdir });
    for (const [name, source] of missing) known.set(source, join(outdir, name));
  }
  return (name) => known.get(sources[name] ?? '') ?? join(outdir, name);
};
