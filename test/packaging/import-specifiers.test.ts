import { expect, test } from 'vitest';
import {
  importedNames,
  packageOf,
  rewriteSpecifiers,
  specifiersOf,
  withinPackage,
} from '#packaging/import-specifiers.ts';

const code = `#!/usr/bin/env node
import { a, b as c } from '@aws-sdk/client-sqs';
import * as all from '@middy/core';
import './side.ts';
export { d, } from "#core/model/ids.ts";
const text = "import x from 'not/this'";
const later = await import('#embedded/rows.ts');
export type E = import("./types.ts").E;
`;

test('finds each import and export, and no text that only looks like one', () => {
  expect(specifiersOf(code)).toEqual([
    '@aws-sdk/client-sqs',
    '@middy/core',
    './side.ts',
    '#core/model/ids.ts',
    '#embedded/rows.ts',
    './types.ts',
  ]);
});

test('rewrites the specifiers and nothing else', () => {
  const upper = rewriteSpecifiers(code, (specifier) => specifier.toUpperCase());
  expect(upper.toLowerCase()).toBe(code.toLowerCase());
  expect(upper).toContain(`from '@MIDDY/CORE'`);
  expect(upper).toContain(`import('#EMBEDDED/ROWS.TS')`);
  expect(upper).toContain(`'not/this'`);
});

test.each([
  ['bin/reeve.js', './x.ts', './x.js'],
  ['bin/reeve.js', '../package.json', '../package.json'],
  ['lib/core/decide/decide.js', '#core/model/ids.ts', '../model/ids.js'],
  ['lib/core/model/a.js', '#core/model/ids.ts', './ids.js'],
  ['lib/package/index.d.ts', '#core/model/ids.ts', '../core/model/ids.js'],
  ['bin/reeve.js', 'node:fs', 'node:fs'],
])('in %s, %s is %s', (file, specifier, expected) => {
  const to = withinPackage(file, { '#core/*.ts': './lib/core/*.ts' });
  expect(to(specifier)).toBe(expected);
});

test('the names that are imported of a package', () => {
  expect(importedNames(code, '@aws-sdk/client-sqs')).toEqual(['a', 'b']);
  expect(importedNames(code, '@middy/core')).toEqual(['*']);
  expect(importedNames("import x, { z as w } from 'y';\nimport v from 'y';", 'y')).toEqual([
    'default',
    'z',
  ]);
  expect(() => importedNames("import 'y';", 'y')).toThrow('Import y by names');
});

test('the package of a specifier', () => {
  expect(['hono/etag', '@hono/zod-openapi', 'zod'].map(packageOf)).toEqual([
    'hono',
    '@hono/zod-openapi',
    'zod',
  ]);
});
