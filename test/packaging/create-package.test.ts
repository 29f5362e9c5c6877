/** `npm create reeve NAME`, as its package is built: the project that it makes for each target. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { createPackage } from '#packaging/create-package.ts';
import { packageManifest, repositoryManifest } from '#packaging/manifest.ts';
import { reachableFiles } from '#packaging/reachable-files.ts';
import { nodeOldest } from '#text/supported-node.ts';
import { targets } from '../../create-reeve/project-manifest.ts';
import { reeveSource } from '../../create-reeve/reeve-source.ts';

const repository = repositoryManifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const folder = mkdtempSync(join(inject('temporaryFolder'), 'create-'));
const made = z.looseObject({
  engines: z.object({ node: z.string() }),
  dependencies: z.record(z.string(), z.string()),
});

beforeAll(() => createPackage(process.cwd(), folder, repository));

function create(...words: readonly string[]) {
  const cwd = mkdtempSync(join(folder, 'in-'));
  const script = join(folder, 'create-reeve.js');
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], {
    ...{ cwd, encoding: 'utf8' },
  });
  const has = (file: string) => existsSync(join(cwd, 'shop', file));
  const manifest = () =>
    made.parse(JSON.parse(readFileSync(join(cwd, 'shop/package.json'), 'utf8')));
  return { cwd, status, stderr, has, manifest };
}

test.each(targets)('a project for %s has the files of it alone', (target) => {
  const { status, has, manifest } = create('shop', '--target', target);
  expect(status).toBe(0);
  expect(['.gitignore', 'gitignore', 'src/workflow.ts'].map(has)).toEqual([true, false, true]);
  expect(has('src/main.ts')).toBe(target !== 'aws');
  expect(has('infra/app.ts')).toBe(target !== 'embedded');
  const { engines, dependencies, allowScripts } = manifest();
  expect(dependencies['reeve']).toBe(`^${repository.version}`);
  expect(nodeOldest.startsWith(engines.node.replace('>=', ''))).toBe(true);
  // npm runs no script of a package that is not named.
  expect(allowScripts).toEqual(target === 'embedded' ? undefined : { esbuild: true });
});

test('--reeve is the version that the project depends on', () => {
  expect(create('shop', '--reeve', '0.0.7').manifest().dependencies['reeve']).toBe('0.0.7');
});

test.each(['Shop', 'my shop', '.shop', '-', '--target', 'a b --target both'])(
  'the name "%s" is refused',
  (name) => {
    expect(create(name).status).toBe(2);
  },
);

test('each agent of the template is deployed by the implementation of its name', () => {
  const app = readFileSync('create-reeve/template/aws/infra/app.ts', 'utf8');
  const agents = [...app.matchAll(/addAgent\(\{ name: '(\w+)'.*export: '(\w+)' \}/g)];
  expect(agents.map(([, name, exported]) => [name, exported])).toEqual([
    ['stock', 'stockAgent'],
    ['payment', 'paymentAgent'],
  ]);
});

test('the path of an archive is the same as an address of a file', () => {
  const path = resolve('package.json');
  expect(reeveSource(pathToFileURL(path).href, '/')).toBe(path);
  expect(reeveSource('file:./package.json', process.cwd())).toBe(path);
});

test('the package has its manifest as a file, and only its programs have effects', () => {
  const manifest = packageManifest(repository, ['zod']);
  expect(manifest).toMatchObject({
    sideEffects: ['./bin/*'],
    exports: { './package.json': './package.json' },
  });
});

test('a file that was not compiled is named', () => {
  expect(() => reachableFiles(folder, ['lib/gone.js'])).toThrow('lib/gone.js was not compiled.');
});
