/**
 * Bundles functions, each into a folder of its own: `node bundle.ts '{"entries":{…},"outdir":…}'`. A
 * program, because esbuild takes plugins only asynchronously and constructs are made synchronously.
 */
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as z from 'zod';

const order = z.object({
  /** Source files by the name of the function. */
  entries: z.record(z.string(), z.string()),
  outdir: z.string(),
  /** The module that exports `workflows`. */
  workflows: z.string(),
});

/** Zod's messages in forty languages, 350 KB, which no function ever speaks; English is kept. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

const { entries, outdir, workflows } = order.parse(JSON.parse(process.argv[2] ?? ''));

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
  // The names of errors are in the log.
  keepNames: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The ESM builds of packages: only they can be cut down to what is used.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  plugins: [oneLanguage],
  logLevel: 'warning',
});
