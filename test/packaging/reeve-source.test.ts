/** `npm create reeve NAME --reeve SOURCE`: what the new project depends on. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reeveSource } from '../../create-reeve/reeve-source.ts';

function somewhere(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-source-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'reeve-0.1.0.tgz'), '');
  return folder;
}

test.each(['./reeve-0.1.0.tgz', 'reeve-0.1.0.tgz', 'file:reeve-0.1.0.tgz', '../none/../$'])(
  'the path %s is resolved from the folder of the command, not from the new one',
  (path) => {
    const folder = somewhere();
    const given = path.replace('none/../$', `${folder.split('/').at(-1)}/reeve-0.1.0.tgz`);
    expect(reeveSource(given, folder)).toBe(join(folder, 'reeve-0.1.0.tgz'));
  },
);

test.each([
  '0.1.0',
  '^1',
  '~0.1.0',
  '~1',
  'next',
  'https://example.com/reeve-0.1.0.tgz',
  'npm:other@1.0.0',
])('%s is what npm understands as it is', (source) => {
  expect(reeveSource(source, somewhere())).toBe(source);
});

test.each(['~/reeve', 'C:/reeve', 'c:\\reeve', '.\\reeve'])(
  '%s is a path, and there is no such file',
  (path) => {
    expect(() => reeveSource(path, somewhere())).toThrow(`--reeve ${path}: there is no file `);
  },
);

test('an archive that is not there is refused before anything is made', () => {
  const folder = somewhere();
  const script = resolve('create-reeve/create-reeve.ts');
  const words = [script, 'shop', '--reeve', './reeve-0.2.0.tgz'];
  expect(() => execFileSync(process.execPath, words, { cwd: folder, stdio: 'pipe' })).toThrow(
    `--reeve ./reeve-0.2.0.tgz: there is no file ${join(folder, 'reeve-0.2.0.tgz')}.`,
  );
  expect(existsSync(join(folder, 'shop'))).toBe(false);
});
