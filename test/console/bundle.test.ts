/** The files that a browser loads, and that it loads no others. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { beforeAll, expect, test } from 'vitest';

const bytesMax = 60_000;
let files: { name: string; bytes: Buffer }[] = [];

beforeAll(async () => {
  const outDir = mkdtempSync(join(tmpdir(), 'reeve-bundle-'));
  await build({ configFile: 'lib/console/vite.config.ts', logLevel: 'error', build: { outDir } });
  files = readdirSync(outDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
  rmSync(outDir, { recursive: true });
});

test(`the console is ${bytesMax} bytes at most, compressed`, () => {
  const size = files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
  expect(files.length).toBeGreaterThanOrEqual(3);
  expect(size).toBeLessThanOrEqual(bytesMax);
});

test('it names no other address, but the names of namespaces', () => {
  const text = files.map(({ bytes }) => bytes.toString()).join('\n');
  const named = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
  expect([...new Set(named)].filter((address) => address !== 'http://www.w3.org')).toEqual([]);
});

test('its page has no script or style in itself, which the content security policy forbids', () => {
  const page = files.find(({ name }) => name === 'index.html')?.bytes.toString() ?? '';
  expect(page).toContain('<script type="module"');
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
});
