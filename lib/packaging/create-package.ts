/** The package `create-reeve`, which `npm create reeve` runs: one script and the template of a project. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeOldest } from '#text/supported-node.ts';
import type { RepositoryManifest } from './manifest.ts';

/** What a new project has besides Reeve, in the versions of this repository. */
const packages = [
  ...[
    '@types/node',
    'aws-cdk',
    'aws-cdk-lib',
    'constructs',
    'esbuild',
    'typescript',
    'vitest',
    'zod',
  ],
];

/** Builds it. @throws {Error} when a package of the template is none of the repository */
export async function createPackage(
  root: string,
  folder: string,
  repository: RepositoryManifest,
): Promise<void> {
  const { version, license, dependencies, devDependencies } = repository;
  const source = join(root, 'create-reeve');
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(source, 'create-reeve.ts')],
    outfile: join(folder, 'create-reeve.js'),
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20' },
    logLevel: 'warning',
  });
  cpSync(join(source, 'template'), join(folder, 'template'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(source, 'README.md'), join(folder, 'README.md'));
  const all: Readonly<Record<string, string>> = {
    ...dependencies,
    ...devDependencies,
    reeve: version,
  };
  const versions = ['reeve', ...packages].map((name) => {
    const exact = all[name];
    if (exact === undefined) throw new Error(`${name} is no dependency in package.json.`);
    return [name, `^${exact}`];
  });
  const manifest = {
    name: 'create-reeve',
    version,
    description: 'Makes a project with Reeve: npm create reeve NAME',
    license,
    type: 'module',
    bin: { 'create-reeve': 'create-reeve.js' },
    engines: { node: `>=${nodeOldest}` },
  };
  write('versions.json', Object.fromEntries(versions));
  write('package.json', manifest);

  function write(name: string, document: object): void {
    writeFileSync(join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
  }
}
