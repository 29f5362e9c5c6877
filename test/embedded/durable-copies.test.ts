/** A backup, a restore, and the log that is kept before a loss is accepted, survive a power cut as soon as they are done. */
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { publish } from '#embedded/copies/new-file.ts';
import { restoreData } from '#embedded/copies/restore.ts';
import { acceptLoss } from '#embedded/integrity/examine.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';
import { unsyncedBy } from '../support/unsynced.ts';

test.each(['no', 'former'])('a restore over %s data', async (data) => {
  const path = data === 'no' ? somewhere() : await stored('former');
  const backup = join(dirname(path), 'backup.db');
  const { store } = opened(await stored('one'));
  await store.backup(backup);
  store.close();
  expect(unsyncedBy(() => restoreData(backup, path, 'now'))).toEqual({ renamed: [], left: [] });
});

test('the log of which a part was lost', async () => {
  const own = somewhere();
  const { store } = opened(own);
  await accepted(store, 'one', 'two');
  const path = somewhere();
  for (const end of ['', '-wal', '-totals']) copyFileSync(own + end, path + end);
  const log = readFileSync(`${path}-wal`);
  writeFileSync(`${path}-wal`, log.subarray(0, log.length / 2));
  const { left } = unsyncedBy(() => expect(acceptLoss(path)).toBe(`${path}-wal.damaged`));
  // The totals file may be behind after a power cut.
  expect(left.filter((name) => !name.endsWith('-totals'))).toEqual([]);
});

test('a backup, before it has its name', () => {
  const file = join(folder(), 'backup.db');
  const part = `${file}.0123abcd.part`;
  const made = () => {
    const open = openSync(part, 'w');
    writeSync(open, 'x');
    closeSync(open);
    publish(part, file);
    rmSync(part);
  };
  expect(unsyncedBy(made)).toEqual({ renamed: [], left: [] });
});
