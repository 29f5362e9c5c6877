/**
 * Copies what Reeve uses of some packages into its own, so that its users install none of them: the AWS SDK alone has 40
 * packages. The parts that several copies share are in files of their own.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { nameOfLogger } from '#infra/functions/name-of-logger.ts';
import { importedNames, isPackage, packageOf, rewriteSpecifiers } from './import-specifiers.ts';

/** The packages that are copied. */
const vendored = [/^@aws-sdk\//, /^@smithy\//, /^@aws-lambda-powertools\//, /^@middy\//];

/**
 * Ways to credentials that the command line needs and functions do not: in files of their own, which the bundles of functions
 * leave out by their names (lib/infra/functions/bundle.ts).
 */
const credentials = ['ini', 'process', 'sso', 'web-identity'].map(
  (name) => `@aws-sdk/credential-provider-${name}`,
);

/** Whether the package of a specifier is copied. */
export const isVendored = (specifier: string): boolean =>
  isPackage(specifier) && vendored.some((name) => name.test(specifier));

/** The file of a copied specifier, within the folder of the package. */
const fileOf = (specifier: string) =>
  `vendor/${specifier.replace(/^@/, '').replaceAll('/', '-')}.js`;

const outOf = (specifier: string) => fileOf(specifier).replace(/\.js$/, '');

interface VendorOptions {
  /** Where the packages are installed: the root of the repository. */
  readonly root: string;
  /** The folder of the package. */
  readonly folder: string;
  /** Specifiers, each with the compiled files that import it. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
}

/** Copies the packages and rewrites the imports of them. Returns the folders whose files were copied, for their licences. */
export async function vendor({ root, folder, imports }: VendorOptions): Promise<readonly string[]> {
  const entries = [...imports].filter(([specifier]) => isVendored(specifier));
  const sources = new Map(
    entries.map(([specifier, files]) => [specifier, entryOf(folder, specifier, files)]),
  );
  const result = await build({
    entryPoints: [
      ...credentials.map((name) => ({ in: name, out: outOf(name) })),
      ...entries.map(([name]) => ({ in: `vendor:${name}`, out: outOf(name) })),
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // As for functions: esbuild can leave out unused code of ESM builds alone.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    chunkNames: 'vendor/[hash]',
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
    plugins: [
      nameOfLogger,
      {
        name: 'vendor',
        setup(esbuild) {
          esbuild.onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path, namespace: 'vendor' }));
          esbuild.onLoad({ filter: /.*/, namespace: 'vendor' }, ({ path }) => ({
            contents: sources.get(path.slice('vendor:'.length)) ?? '',
            resolveDir: root,
          }));
        },
      },
    ],
  });
  rewriteImports(folder, entries);
  return [
    ...new Set(
      Object.values(result.metafile.outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([input, { bytesInOutput }]) =>
          bytesInOutput > 0 && input.startsWith('node_modules/') ? [packageFolder(input)] : [],
        ),
      ),
    ),
  ].toSorted();
}

/** A module that exports the used names alone, so that the rest is left out. */
function entryOf(folder: string, specifier: string, files: readonly string[]): string {
  const names = new Set(
    files.flatMap((file) => importedNames(readFileSync(join(folder, file), 'utf8'), specifier)),
  );
  const list = names.has('*') ? '*' : `{ ${[...names].toSorted().join(', ')} }`;
  return `export ${list} from '${specifier}';`;
}

function rewriteImports(
  folder: string,
  entries: readonly (readonly [string, readonly string[]])[],
): void {
  mkdirSync(join(folder, 'vendor'), { recursive: true });
  for (const file of new Set(entries.flatMap(([, files]) => files))) {
    const path = join(folder, file);
    const text = rewriteSpecifiers(readFileSync(path, 'utf8'), (specifier) =>
      isVendored(specifier) ? relative(dirname(file), fileOf(specifier)) : specifier,
    );
    writeFileSync(path, text);
  }
}

/** `node_modules/@smithy/types` of a file below it; the innermost one of packages within packages. */
export function packageFolder(path: string): string {
  const at = path.lastIndexOf('node_modules/') + 'node_modules/'.length;
  return path.slice(0, at) + packageOf(path.slice(at));
}
