#!/usr/bin/env node
/**
 * Writes the API report of each entry point of the built package to docs/api: `npm run build && npm run api`. A change of what
 * users can import is a change of these files. With `--check`, it only says which of them differ.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { declared, subpaths } from '#packaging/entry-points.ts';
import { extractApi } from '#packaging/extract-api.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist', 'reeve');
const folder = join(root, 'docs', 'api');
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const different = Object.values(subpaths).filter((source) => {
  const name = `${basename(source, '.ts')}.api.md`;
  const text = extractApi(dist, declared(source), 'report');
  const path = join(folder, name);
  if (values.check) return readFileSync(path, 'utf8') !== text;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  return false;
});
if (different.length > 0) {
  console.error(`The API has changed: ${different.join(', ')}. Look at it with: npm run api`);
  process.exitCode = 1;
}
