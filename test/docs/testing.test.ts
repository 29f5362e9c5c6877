/** docs/testing.md as a user follows it: its files, its tests and its command. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findingKinds } from '#testing/prove/finding.ts';
import { codeBlocks } from '../support/code-blocks.ts';

const run = promisify(execFile);
const page = readFileSync('docs/testing.md', 'utf8');

function filesOfPage(): string {
  // Below the repository, so that vitest, zod and Reeve itself are found.
  const folder = mkdtempSync(resolve('test/docs/.page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { file, text } of codeBlocks(page)) {
    if (file === null) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

test('the tests of the page pass', async () => {
  const folder = filesOfPage();
  const { stdout } = await run('node', [
    resolve('node_modules/vitest/vitest.mjs'),
    ...['run', '--root', folder],
  ]);
  expect(stdout).toMatch(/2 passed/);
});

test('the proof of the page is proven by its command', async () => {
  const [command] = codeBlocks(page).filter(({ language }) => language === 'sh');
  expect(command?.text).toBe('npx reeve prove ./shop/proof.ts\n');
  const options = { cwd: filesOfPage() };
  const { stdout } = await run(
    'node',
    [resolve('bin/reeve.ts'), 'prove', './shop/proof.ts'],
    options,
  );
  expect(stdout).toMatch(/^proof: Proven: 200 worlds, /);
});

test('the page has every kind of mistake', () => {
  for (const kind of Object.keys(findingKinds)) expect(page).toContain(`\`${kind}\``);
});
