/** A backup of data in use. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { copyInUse } from '#embedded/copies/backup.ts';
import { smallDisk } from '../support/small-disk.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

test('a backup for which its disk has no space leaves no file, and succeeds when there is space', async () => {
  const { store } = opened(somewhere());
  await accepted(store, 'one');
  const disk = smallDisk(1);
  const file = join(disk.path, 'backup.db');
  disk.fill(process.pid);
  const refused = await store.backup(file).catch((error: unknown) => error);
  disk.free(process.pid);
  expect(refused).toMatchObject({ message: expect.stringContaining(file) });
  expect(readdirSync(disk.path)).toEqual([]);
  await store.backup(file);
  expect(readdirSync(disk.path)).toEqual(['backup.db']);
});

/** An error of node:sqlite with this code of SQLite. */
const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

/** What a backup does where so many copies fail before one succeeds, and how many were made. */
async function copied(failing: number, errcode: number) {
  const path = await stored('one');
  const database = new DatabaseSync(path);
  const to = join(folder(), 'backup.db');
  let copies = 0;
  const made = copyInUse(database, path, to, (...args) => {
    copies += 1;
    return copies <= failing ? Promise.reject(sqliteError(errcode)) : backup(...args);
  });
  const refused = await made.then(
    () => null,
    (error: unknown) => error,
  );
  database.close();
  return { refused, copies, files: readdirSync(join(to, '..')) };
}

test('a copy that fails without an error of SQLite is made again', async () => {
  expect(await copied(3, 0)).toEqual({ refused: null, copies: 4, files: ['backup.db'] });
});

test.each([
  ['which fails each time without an error', 0, 10],
  ['which fails with one', 10, 1],
])('a backup %s is refused, and leaves no file', async (_, errcode, copies) => {
  const refused = expect.objectContaining({ code: 'backup-failed' });
  expect(await copied(Number.POSITIVE_INFINITY, errcode)).toEqual({ refused, copies, files: [] });
});

test('a backup replaces no file', async () => {
  const { store } = opened(somewhere());
  const file = join(folder(), 'backup.db');
  writeFileSync(file, 'mine');
  await expect(store.backup(file)).rejects.toMatchObject({
    code: 'file-exists',
    message: `${file} exists. Name another file.`,
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});
