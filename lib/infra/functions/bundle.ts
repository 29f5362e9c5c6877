/**
 * Bundles functions, each into its own folder: `node bundle.ts '{"sources":{…},"outdir":…}'`. A separate
 * program, because esbuild takes plugins only asynchronously and constructs are created synchronously.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as z from 'zod';
import { buildOptions, exitAfterReport } from './build-options.ts';

const argument = z.object({
  /** The text of each entry module, by the name of its function. */
  sources: z.record(z.string(), z.string()),
  outdir: z.string(),
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

/**
 * Excludes the ways to credentials that a function does not have (110 KB): files of profiles, single sign-on, and programs. Lambda
 * gives it those of its role in the environment, or by HTTP, which both are kept.
 */
const credentialsOfRole: Plugin = {
  name: 'credentials-of-role',
  setup({ onLoad }) {
    const names = ['fromIni', 'fromSSO', 'fromProcess', 'fromTokenFile'];
    onLoad(
      {
        // As the SDK has them, and as the package of Reeve does.
        filter:
          /(@aws-sdk\/|vendor\/aws-sdk-)credential-provider-(ini|sso|process|web-identity)(\/dist-es\/index)?\.js$/,
      },
      () => ({
        contents: `
          // The chain of providers goes on to the next one.
          const absent = () => async () => {
            throw Object.assign(new Error('A function has the credentials of its role.'), { tryNextLink: true });
          };
          export { ${names.map((name) => `absent as ${name}`).join(', ')} };`,
        loader: 'js',
      }),
    );
  },
};

/** Of the package files that the SDK imports only the version, which its clients name to AWS (2 KB each). */
const versionsOfSdk: Plugin = {
  name: 'versions-of-sdk',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/[^/]+\/package\.json$/ }, ({ path }) => ({
      contents: JSON.stringify(sdkPackage.parse(JSON.parse(readFileSync(path, 'utf8')))),
      loader: 'json',
    }));
  },
};
const sdkPackage = z.object({ name: z.string(), version: z.string() });

/**
 * Excludes the cache of the endpoints that DynamoDB names when it is asked (7 KB). Its client asks only where a variable says so, and a
 * function calls the endpoint of its region.
 */
const endpointOfRegion: Plugin = {
  name: 'endpoint-of-region',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/endpoint-cache\/dist-es\/EndpointCache\.js$/ }, () => ({
      contents: 'export class EndpointCache {}',
      loader: 'js',
    }));
  },
};

/**
 * Node's own modules without their facades. An `import` of one reads each property of it, and some load more: that of `node:http`
 * loads `fetch` with all that belongs to it, which takes 10 to 15 ms of each cold start (`npm run bench:cold`).
 */
const builtinsWithoutFacade: Plugin = {
  name: 'builtins-without-facade',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)?$/ }, ({ path }) =>
      isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

const { sources, outdir } = argument.parse(JSON.parse(process.argv[2] ?? ''));

/** Entry modules exist as texts only, which name files by absolute paths. */
const entriesFromTexts: Plugin = {
  name: 'entries-from-texts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'entry-point' ? { path, namespace: 'function' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'function' }, ({ path }) => ({
      contents: sources[path] ?? '',
      resolveDir: process.cwd(),
      loader: 'js',
    }));
  },
};

const builds = Object.keys(sources).map((name) =>
  build({
    ...buildOptions,
    entryPoints: [{ in: name, out: 'index' }],
    outdir: join(outdir, name),
    outExtension: { '.js': '.mjs' },
    // What code imports when it needs it, as the SDK does, is a file of its own: a start does not parse it.
    splitting: true,
    minify: true,
    // The log contains the names of errors.
    keepNames: true,
    plugins: [
      entriesFromTexts,
      builtinsWithoutFacade,
      oneLanguage,
      credentialsOfRole,
      versionsOfSdk,
      endpointOfRegion,
    ],
  }),
);
await Promise.all(builds).catch(exitAfterReport);
