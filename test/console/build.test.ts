/** The build of the console, while others read its files. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';

const config = 'lib/console/vite.config.ts';

test('a build replaces the files of an earlier one, whose page is there until then', async () => {
  const outDir = mkdtempSync(join(tmpdir(), 'reeve-console-'));
  onTestFinished(() => rmSync(outDir, { recursive: true }));
  const page = join(outDir, 'index.html');
  mkdirSync(join(outDir, 'assets'));
  writeFileSync(page, 'an earlier page');
  writeFileSync(join(outDir, 'assets', 'index-earlier.js'), '');
  let isBuilding = true;
  const building = build({ configFile: config, logLevel: 'silent', build: { outDir } }).finally(
    () => {
      isBuilding = false;
    },
  );
  for await (const _ of setInterval(2)) {
    expect(existsSync(page)).toBe(true);
    if (!isBuilding) break;
  }
  await building;
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
  expect(files.map((name) => name.replace(/-[^.]+\./, '.')).toSorted()).toEqual([
    ...['assets', join('assets', 'index.css'), join('assets', 'index.js')],
    ...[join('assets', 'mark.svg'), 'index.html'],
  ]);
  expect(files).not.toContain(join('assets', 'index-earlier.js'));
});
