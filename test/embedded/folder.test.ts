/** The folder of the data. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '#embedded/folder.ts';
import { folder } from '../support/stored-data.ts';

test('a folder that another process makes at the same time is used', () => {
  const path = join(folder(), 'data', 'inner');
  let made = 0;
  const late: typeof mkdirSync = (...args) => {
    made += 1;
    mkdirSync(...args);
    return mkdirSync(...args);
  };
  makeFolder(path, late);
  expect(made).toBe(2);
  expect(statSync(path).isDirectory()).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a file that has the name of the folder is an error', () => {
  const path = join(folder(), 'data');
  writeFileSync(path, '');
  expect(() => makeFolder(path)).toThrow(
    expect.objectContaining({
      code: 'file-unusable',
      message: `Cannot make the folder ${path}: a file of that name exists.`,
    }),
  );
});
