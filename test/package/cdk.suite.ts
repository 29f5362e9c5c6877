/** CDK apps of users: the one that `npm create reeve` makes, and one in the form of `cdk init`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';

const parent = mkdtempSync(join(tmpdir(), 'reeve-apps-'));
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
};
const folder = join(parent, 'shop');
const run = (command: string, ...words: readonly string[]) =>
  execFileSync(command, words, { encoding: 'utf8', env, cwd: folder, stdio: 'pipe' });

beforeAll(() => {
  execFileSync('tar', ['xzf', inject('createReeveArchive')], { cwd: parent });
  const script = join(parent, 'package', 'create-reeve.js');
  const words = [script, folder, '--target', 'both', '--reeve', inject('reeveArchive')];
  execFileSync('node', words, { env });
  run('npm', 'install', '--prefer-offline', '--no-audit');
});

/** The functions of the deployment with the sizes of their bundles. */
function bundles(bundled: string): ReadonlyMap<string, number> {
  const names = ['scheduler', 'supervisor', 'front-door', 'notifier', 'agent-payment'];
  const at = (name: string) => join(folder, 'cdk.out', bundled, name, 'index.mjs');
  return new Map(names.map((name) => [name, statSync(at(name)).size]));
}

test('the app of a new project is synthesised, with the functions of the package alone', () => {
  run('npm', 'run', 'synth');
  const template = readFileSync(join(folder, 'cdk.out', 'Shop.template.json'), 'utf8');
  expect(JSON.parse(template).Resources).toBeTypeOf('object');
  const sizes = bundles('bundles-Shop-Orders');
  // As those of the repository (test/infra/bundles.test.ts).
  for (const [name, bytes] of sizes)
    expect({ name, bytes }).toSatisfy(({ bytes: n }) => n < 900_000);
  const scheduler = readFileSync(
    join(folder, 'cdk.out', 'bundles-Shop-Orders', 'scheduler', 'index.mjs'),
    'utf8',
  );
  expect(scheduler).toContain('A function has the credentials of its role.');
});

test('the types of the construct are right without `skipLibCheck`', () => {
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', types: ['node'], noEmit: true, strict: true },
    ...{ skipLibCheck: false, allowImportingTsExtensions: true },
  };
  writeFileSync(
    join(folder, 'tsconfig.strict.json'),
    JSON.stringify({ compilerOptions, files: ['infra/app.ts'] }),
  );
  expect(run('npx', 'tsc', '-p', 'tsconfig.strict.json')).toBe('');
});

test('the types of the app are right, and its tests pass', () => {
  expect(run('npm', 'test')).toContain('2 passed');
});

test('an app in the form of `cdk init`, which is CommonJS, is synthesised with a VPC and a secret', () => {
  const init = join(parent, 'init');
  mkdirSync(join(init, 'bin'), { recursive: true });
  mkdirSync(join(init, 'lib'));
  cpSync(join(folder, 'src'), join(init, 'src'), { recursive: true });
  cpSync(
    join(import.meta.dirname, 'programs', 'shop-stack.ts'),
    join(init, 'lib', 'shop-stack.ts'),
  );
  const write = (path: string, text: string) => writeFileSync(join(init, path), text);
  write(
    'bin/shop.ts',
    `import * as cdk from 'aws-cdk-lib';
    import { ShopStack } from '../lib/shop-stack';
    new ShopStack(new cdk.App(), 'ShopStack');`,
  );
  write('package.json', JSON.stringify({ name: 'init', private: true }));
  write('cdk.json', JSON.stringify({ app: 'ts-node --prefer-ts-exts bin/shop.ts' }));
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...{ target: 'ES2022', module: 'NodeNext', moduleResolution: 'NodeNext', strict: true },
        ...{ skipLibCheck: true, allowImportingTsExtensions: true, noEmit: true },
      },
      exclude: ['node_modules', 'cdk.out'],
    }),
  );
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { 'aws-cdk': cli, 'aws-cdk-lib': lib, constructs, esbuild } = manifest.devDependencies;
  const packages = [`aws-cdk@${cli}`, `aws-cdk-lib@${lib}`, `constructs@${constructs}`];
  const tools = [`esbuild@${esbuild}`, 'typescript@5.9.3', 'ts-node@10.9.2', '@types/node@22.18.0'];
  const options = { encoding: 'utf8', env, cwd: init, stdio: 'pipe' } as const;
  const all = ['zod@4.6.7', ...packages, ...tools, inject('reeveArchive')];
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', ...all], options);
  execFileSync('npx', ['cdk', 'synth', '--quiet'], options);
  const text = readFileSync(join(init, 'cdk.out', 'ShopStack.template.json'), 'utf8');
  expect(text).toContain('BANK_KEY_ARN');
  expect(text).toContain('ec2:CreateNetworkInterface');
});
