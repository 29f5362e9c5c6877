/** The `package.json` of the built package. That of the repository also has what only its development needs. */
import * as z from 'zod';
import { nodeOldest } from '#text/supported-node.ts';
import { compiled, declared, subpaths } from './entry-points.ts';
import { packageOf } from './import-specifiers.ts';

/** What is read of the manifest of the repository. */
export const repositoryManifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  imports: z.record(z.string(), z.string()),
});

/** See {@link repositoryManifest}. */
export type RepositoryManifest = z.infer<typeof repositoryManifest>;

/**
 * Packages that an application has once, with Reeve: with two copies of zod, a schema of the application has other types than
 * Reeve expects. Those of the CDK are needed for `reeve/cdk` alone.
 */
const peers = {
  // `exactOptional` came with 4.3.
  zod: { range: '^4.3.0', isOptional: false },
  'aws-cdk-lib': { range: '^2.260.0', isOptional: true },
  constructs: { range: '^10.4.3', isOptional: true },
  esbuild: { range: '>=0.25', isOptional: true },
} as const satisfies Readonly<Record<string, { range: string; isOptional: boolean }>>;

const isPeer = (name: string): name is keyof typeof peers => Object.hasOwn(peers, name);

/**
 * Makes the manifest.
 *
 * @param imported the specifiers of packages that the compiled files import
 * @throws {Error} when a package is not one of the dependencies of the repository
 */
export function packageManifest(
  repository: RepositoryManifest,
  imported: Iterable<string>,
): object {
  const { name, version, description, license } = repository;
  const packages = [...new Set([...imported].map(packageOf))].toSorted();
  const needed = Object.entries(peers).filter(([peer]) => packages.includes(peer));
  return {
    ...{ name, version, description, license },
    type: 'module',
    engines: { node: `>=${nodeOldest}` },
    bin: { reeve: 'bin/reeve.js' },
    sideEffects: ['./bin/*'],
    exports: {
      ...Object.fromEntries(
        Object.entries(subpaths).map(([subpath, source]) => [
          subpath,
          // `default` alone, so that `require` of CommonJS gets the same module.
          { types: `./${declared(source)}`, default: `./${compiled(source)}` },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(
      packages
        .filter((one) => !isPeer(one))
        .map((one) => {
          const exact = repository.dependencies[one];
          if (exact === undefined) throw new Error(`${one} is no dependency in package.json.`);
          return [one, `^${exact}`];
        }),
    ),
    peerDependencies: Object.fromEntries(needed.map(([peer, { range }]) => [peer, range])),
    peerDependenciesMeta: Object.fromEntries(
      needed.filter(([, { isOptional }]) => isOptional).map(([peer]) => [peer, { optional: true }]),
    ),
  };
}
