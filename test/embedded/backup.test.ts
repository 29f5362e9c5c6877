/** A backup of data in use. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallDisk } from '../support/small-disk.ts';
import { accepted, opened, somewhere } from '../support/stored-data.ts';

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
