/** Which folders `reeve dev` watches. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldersOf } from '#runtime/command/reloading.ts';
import { folder } from '../support/stored-data.ts';

test('the folders with sources are watched, and neither packages nor what tools and Reeve write', () => {
  const root = folder();
  const made = ['src/orders', '.reeve/shop', '.git/refs', 'node_modules/zod', 'src/node_modules/a'];
  for (const path of made) mkdirSync(join(root, path), { recursive: true });
  expect(foldersOf(root).toSorted()).toEqual(
    [root, join(root, 'src'), join(root, 'src/orders')].toSorted(),
  );
});

test('a folder that was removed meanwhile has none in it', () => {
  const gone = join(folder(), 'gone');
  expect(foldersOf(gone)).toEqual([gone]);
});
