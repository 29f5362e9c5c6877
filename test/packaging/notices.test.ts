import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notices } from '#packaging/notices.ts';

function rootWith(
  packages: Readonly<Record<string, { license: string; text?: string; author?: object }>>,
): string {
  const root = mkdtempSync(join(tmpdir(), 'reeve-notices-'));
  writeFileSync(join(root, 'LICENSE'), 'Apache');
  for (const [name, { license, text, author }] of Object.entries(packages)) {
    mkdirSync(join(root, name));
    writeFileSync(
      join(root, name, 'package.json'),
      JSON.stringify({ name, version: '1', license, author }),
    );
    if (text !== undefined) writeFileSync(join(root, name, 'LICENCE.md'), text);
  }
  return root;
}

test('packages with the same text of a licence share it', () => {
  const mit = { license: 'MIT', text: 'Do as you like.' };
  const text = notices(
    rootWith({ a: mit, b: mit, c: { license: 'Apache-2.0' }, d: { license: 'MIT-0' } }),
    ['a', 'b', 'c', 'd'],
  );
  expect(text.split('Do as you like.')).toHaveLength(2);
  expect(text).toContain('a 1 (MIT)\nb 1 (MIT)');
  expect(text).toContain('c 1 (Apache-2.0)\n\nApache');
  expect(text).toContain('d 1 (MIT-0)\n\nIts licence asks for no notice.');
});

test('the text of MIT names the author of a package that comes without it', () => {
  const root = rootWith({ alone: { license: 'MIT', author: { name: 'Ada' } } });
  mkdirSync(join(root, 'node_modules', 'zod'), { recursive: true });
  writeFileSync(join(root, 'node_modules', 'zod', 'LICENSE'), 'MIT\n\nCopyright (c) 1 Z\n\nAs is.');
  expect(notices(root, ['alone'])).toContain('MIT\n\nCopyright (c) Ada\n\nAs is.');
});

test('a licence that is not permissive, and one without its text, are refused', () => {
  const root = rootWith({ gpl: { license: 'GPL-3.0' }, bare: { license: 'MIT' } });
  expect(() => notices(root, ['gpl'])).toThrow('gpl has the licence GPL-3.0');
  expect(() => notices(root, ['bare'])).toThrow('has no text of its licence, MIT');
});
