/**
 * Bundles functions, each into its own folder: `node bundle.ts '{"entries":{…},"outdir":…}'`. A separate
 * program, because esbuild takes plugins only asynchronously and constructs are created synchronously.
 */
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as z from 'zod';

const argument = z.object({
  /** Source files by function name. */
  entries: z.record(z.string(), z.string()),
  outdir: z.string(),
  /** The module that exports `workflows`. */
  workflows: z.string(),
});

/** Excludes zod's messages in forty languages (350 KB), which no function uses; English is kept. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

const { entries, outdir, workflows } = argument.parse(JSON.parse(process.argv[2] ?? ''));

await build({
  entryPoints: Object.entries(entries).map(([name, path]) => ({
    in: path,
    out: join(name, 'index'),
  })),
  outdir,
  outExtension: { '.js': '.mjs' },
  alias: { '#workflows/shipped.ts': resolve(workflows) },
  bundle: true,
  minify: true,
  // The log contains the names of errors.
  keepNames: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Prefers ESM builds, because esbuild can remove unused code only from them.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  plugins: [oneLanguage],
  logLevel: 'warning',
});
