/** `npm create reeve NAME` where the folder cannot be made. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

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
