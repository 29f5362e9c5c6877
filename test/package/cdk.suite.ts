/** CDK apps of users: the one that `npm create reeve` makes, and one in the form of `cdk init`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { allCode, loadedCode } from '../../bench/cold-files.ts';

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

/** The functions of the deployment with what they load at their start. */
function bundles(bundled: string): ReadonlyMap<string, number> {
  const names = ['scheduler', 'supervisor', 'front-door', 'notifier', 'agent-payment'];
  const at = (name: string) => join(folder, 'cdk.out', bundled, name);
  return new Map(names.map((name) => [name, loadedCode(at(name)).length]));
}

test('the app of a new project is synthesised, with the functions of the package alone', () => {
  run('npm', 'run', 'synth');
  const template = readFileSync(join(folder, 'cdk.out', 'Shop.template.json'), 'utf8');
  expect(JSON.parse(template).Resources).toBeTypeOf('object');
  const sizes = bundles('bundles-Shop-Orders');
  // As those of the repository (test/infra/bundles.test.ts).
  for (const [name, bytes] of sizes)
    expect({ name, bytes }).toSatisfy(({ bytes: n }) => n < 800_000);
  const scheduler = allCode(join(folder, 'cdk.out', 'bundles-Shop-Orders', 'scheduler'));
  // A failed `toContain` would print the bundle.
  expect(scheduler.includes('A function has the credentials of its role.')).toBe(true);
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

test('the example of an existing app, which is CommonJS, is synthesised', () => {
  const app = join(parent, 'cdk-app');
  cpSync(join(import.meta.dirname, '..', '..', 'examples', 'cdk-app'), app, { recursive: true });
  const inApp = { encoding: 'utf8', env, cwd: app, stdio: 'pipe' } as const;
  const install = ['install', '--prefer-offline', '--no-audit', inject('reeveArchive')];
  execFileSync('npm', install, inApp);
  execFileSync('npx', ['tsc'], inApp);
  execFileSync('npx', ['cdk', 'synth', '--quiet'], inApp);
  const text = readFileSync(join(app, 'cdk.out', 'Shop.template.json'), 'utf8');
  expect(text).toContain('BANK_KEY_ARN');
  expect(text).toContain('ec2:CreateNetworkInterface');
});
