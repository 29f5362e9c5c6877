/**
 * Bundles functions, each into its own folder: `node bundle.ts '{"sources":{…},"outdir":…}'`. A separate
 * program, because esbuild takes plugins only asynchronously and constructs are created synchronously.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import * as z from 'zod';
import { buildOptions, exitAfterReport } from './build-options.ts';
import { nameOfLogger } from './name-of-logger.ts';

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

const entryOf = (name: string) => `function:${name}`;

/** Entry modules exist as texts only, which name files by absolute paths. */
const entriesFromTexts: Plugin = {
  name: 'entries-from-texts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^function:/ }, ({ path }) => ({
      path: path.slice(entryOf('').length),
      namespace: 'function',
    }));
    onLoad({ filter: /./, namespace: 'function' }, ({ path }) => ({
      contents: sources[path] ?? '',
      resolveDir: process.cwd(),
      loader: 'js',
    }));
  },
};

/**
 * The libraries that Reeve brings, as they are installed and as its package has copied them. Nothing depends on the names of their functions
 * and classes but {@link nameOfLogger}: their errors state their names themselves.
 */
const library =
  /[\\/]node_modules[\\/](@aws|@aws-sdk|@smithy|@aws-lambda-powertools|@middy|hono|zod)[\\/]|[\\/]reeve[\\/]vendor[\\/]/;

/**
 * What may be the import of a library: the name of a package, or a file of `vendor`. To ask this program about the other imports, some
 * thousands, would take half of the time of a build.
 */
const perhapsLibrary = /^[^.#/]|[\\/]vendor[\\/]/;

/** Leaves imports of libraries in the code, by their absolute paths. What `require` loads is bundled: it would stay a call at run time. */
const librariesLater: Plugin = {
  name: 'libraries-later',
  setup(esbuild) {
    esbuild.onResolve({ filter: perhapsLibrary }, async (imported) => {
      const { path, kind, resolveDir, importer, pluginData } = imported;
      const isImport = kind === 'import-statement' || kind === 'dynamic-import';
      if (!isImport || isBuiltin(path) || pluginData === librariesLater) return undefined;
      const found = await esbuild.resolve(path, {
        ...{ kind, resolveDir, importer },
        pluginData: librariesLater,
      });
      if (found.errors.length > 0) return { errors: found.errors, warnings: found.warnings };
      return library.test(found.path)
        ? { path: found.path, external: true, sideEffects: found.sideEffects }
        : undefined;
    });
  },
};

/**
 * The code of the application and of Reeve, which keeps its names: logs contain those of errors, and of the functions in their stacks. To keep
 * those of libraries too would take 3 to 8 % of a cold start.
 */
const named = {
  ...buildOptions,
  keepNames: true,
  // Names that the libraries do not have, so that their imports do not match below.
  chunkNames: 'own-[name]-[hash]',
  plugins: [entriesFromTexts, librariesLater],
} satisfies BuildOptions;

/** Files that exist as texts only, by name: so a bundle does not depend on where a folder for them would be. */
const filesFromTexts = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'files-from-texts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^index\.js$|^\.\/own-/ }, ({ kind, path, namespace }) =>
      kind === 'entry-point' || namespace === 'own'
        ? { path: basename(path), namespace: 'own' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'own' }, ({ path }) => ({
      contents: texts.get(path) ?? '',
      resolveDir: process.cwd(),
      loader: 'js',
    }));
  },
});

/** That code with the libraries. */
const minified = {
  ...buildOptions,
  entryPoints: ['index.js'],
  outExtension: { '.js': '.mjs' },
  minify: true,
} satisfies BuildOptions;

const libraryPlugins = [
  builtinsWithoutFacade,
  oneLanguage,
  credentialsOfRole,
  versionsOfSdk,
  endpointOfRegion,
  nameOfLogger,
];

/** What code imports when it needs it, as the SDK does, is a file of its own: a start does not parse it. */
const splitting = true;

async function buildFunction(name: string): Promise<void> {
  const entry = { in: entryOf(name), out: 'index' };
  const own = await build({
    ...named,
    splitting,
    entryPoints: [entry],
    outdir: '/',
    write: false,
  });
  const texts = new Map(own.outputFiles.map(({ path, text }) => [basename(path), text]));
  const plugins = [filesFromTexts(texts), ...libraryPlugins];
  await build({ ...minified, splitting, plugins, outdir: join(outdir, name) });
}

await Promise.all(Object.keys(sources).map(buildFunction)).catch(exitAfterReport);
