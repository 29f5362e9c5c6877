/** `npm create reeve NAME`: folders that cannot be made, one with a space, and the manifest of the project. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { projectManifest, targets } from '../../create-reeve/project-manifest.ts';

test.each([
  ['taken', 'taken is not a folder.'],
  ['taken/shop', 'taken is not a folder.'],
  ['taken/shops/shop', 'taken is not a folder.'],
  ['full', 'full is not empty.'],
])('%s is refused as a wrong argument, and nothing is made', (name, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-taken-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'taken'), '');
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'package.json'), '{}');
  const words = [resolve('create-reeve/create-reeve.ts'), name];
  const made = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  expect(made).toMatchObject({ status: 2, stdout: '', stderr: `${join(folder, message)}\n` });
  expect(readdirSync(folder)).toEqual(['full', 'taken']);
});

test('the command for the next folder is one that a shell takes, also where its path has a space', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-made-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'program');
  cpSync('create-reeve', program, { recursive: true });
  const names = ['reeve', 'zod', '@types/node', 'typescript', 'vitest'];
  const versions = Object.fromEntries(names.map((name) => [name, '^1.0.0']));
  writeFileSync(join(program, 'versions.json'), JSON.stringify(versions));
  const words = [join(program, 'create-reeve.ts'), 'my shops/shop'];
  const { stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  const next = /^ {2}cd .*$/m.exec(stdout)?.[0] ?? 'exit 1';
  const there = spawnSync('sh', ['-c', `${next} && cat package.json`], {
    ...{ cwd: folder, encoding: 'utf8' },
  });
  expect(there.stdout).toContain('"name": "shop"');
});

const made = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

test.each(targets)(
  'the scripts of a project for %s have their files and their programs',
  (target) => {
    const versions = new Proxy({}, { has: () => true, get: () => '^1.0.0' });
    const project = { name: 'shop', target, versions, reeve: undefined };
    const { scripts, dependencies, devDependencies } = made.parse(projectManifest(project));
    const parts = ['common', ...(target === 'both' ? ['embedded', 'aws'] : [target])];
    const files = Object.values(scripts).flatMap(
      (script) => script.match(/[\w./]+\.(ts|json)\b/g) ?? [],
    );
    expect(files).toContain('order.json');
    for (const file of files) {
      const places = parts.map((part) => join('create-reeve/template', part, file));
      expect([file, places.some((place) => existsSync(place))]).toEqual([file, true]);
    }
    const programs = { reeve: 'reeve', tsc: 'typescript', vitest: 'vitest', cdk: 'aws-cdk' };
    for (const [program, name] of Object.entries(programs)) {
      const isUsed = Object.values(scripts).some((script) => script.split(' ').includes(program));
      const isThere = name in dependencies || name in devDependencies;
      expect([program, isThere]).toEqual([program, isUsed]);
    }
  },
);
