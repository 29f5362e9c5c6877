/** `npm create reeve`, from its archive, up to the first order of the new project. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';

const parent = mkdtempSync(join(tmpdir(), 'reeve-created-'));
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
};
const options = { encoding: 'utf8', env } as const;
let script: string;

/** Runs the script as `npm create reeve` does. */
const create = (...words: readonly string[]) =>
  execFileSync('node', [script, ...words, '--reeve', inject('reeveArchive')], {
    ...options,
    cwd: parent,
  });

beforeAll(() => {
  execFileSync('tar', ['xzf', inject('createReeveArchive')], { cwd: parent });
  script = join(parent, 'package', 'create-reeve.js');
});

test('a project for one process: its first order is Processed, its test passes, it is proven', async () => {
  create('shop');
  const cwd = join(parent, 'shop');
  const npm = (...words: readonly string[]) => execFileSync('npm', words, { ...options, cwd });
  npm('install', '--prefer-offline', '--no-audit');
  const port = String(20_000 + (process.pid % 20_000));
  const url = `http://127.0.0.1:${port}`;
  const dev = spawn('npm', ['run', 'dev'], {
    ...{ cwd, env: { ...env, PORT: port }, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  });
  onTestFinished(async () => {
    // The group: npm, the command that watches, and Reeve.
    if (dev.pid !== undefined) process.kill(-dev.pid);
    await once(dev, 'exit');
  });
  for await (const line of createInterface({ input: dev.stdout })) {
    if (line.startsWith('Reeve listens on')) break;
  }
  const said = execFileSync('npm', ['run', 'order'], {
    ...{ ...options, cwd },
    env: { ...env, REEVE_URL: url },
  });
  expect(said).toMatch(/✓ Processed {2}✓ reserve {2}✓ charge\n$/);
  expect(npm('test')).toContain('2 passed');
  expect(npm('run', 'prove')).toContain('proof: Proven: 200 worlds');
});

test('the archive says what it is, and names every option', () => {
  const page = readFileSync(join(parent, 'package', 'README.md'), 'utf8');
  const help = execFileSync('node', [script, '--help'], options);
  const named = help.match(/^ {2}--\w+( [a-zA-Z]+)?/gm) ?? [];
  expect(named.length).toBeGreaterThan(3);
  for (const option of named) expect(page).toContain(option.trim());
});

test('each target has its own files, and no other ones', () => {
  for (const target of ['embedded', 'aws', 'both']) {
    create(`for-${target}`, '--target', target);
    const folder = join(parent, `for-${target}`);
    expect(existsSync(join(folder, '.gitignore'))).toBe(true);
    expect(existsSync(join(folder, 'src', 'main.ts'))).toBe(target !== 'aws');
    expect(existsSync(join(folder, 'infra', 'app.ts'))).toBe(target !== 'embedded');
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect('synth' in manifest.scripts).toBe(target !== 'embedded');
    expect('start' in manifest.scripts).toBe(target !== 'aws');
  }
});

test.each([
  ['a folder with files', ['shop'], 'is not empty'],
  ['an unknown target', ['other', '--target', 'azure'], 'embedded, aws, both'],
  ['no name', [], 'Give one name'],
  ['an unknown option', ['other', '--tarjet', 'aws'], "Unknown option '--tarjet'"],
  ['a name that npm refuses', ['My Shop'], 'lower-case'],
])('%s is refused, and nothing is made', (_, words, message) => {
  expect(() => create(...words)).toThrow(message);
});
