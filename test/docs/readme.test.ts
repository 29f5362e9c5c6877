/** The first program of the README, as it stands. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

test('the first program has at most fifteen lines, and prints what the page says', async () => {
  const page = readFileSync('README.md', 'utf8');
  const [, program = ''] = /Save it as `hello\.ts`:\n\n```ts\n(.*?)```/s.exec(page) ?? [];
  const [, shown = ''] = /```text\n(.*?)```/s.exec(page) ?? [];
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(15);
  // Below the repository, so that zod and Reeve itself are found.
  const folder = mkdtempSync(resolve('test/docs/.page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'hello.ts'), program);
  const { stdout } = await promisify(execFile)('node', ['hello.ts'], { cwd: folder });
  const withoutIds = (text: string) => text.replace(/[0-9a-z]{26}/g, 'ID');
  expect(withoutIds(stdout)).toBe(withoutIds(shown));
});
