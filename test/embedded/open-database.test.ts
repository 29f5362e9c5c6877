/** What a start does to the files: nothing that could lose more, and everything that the data need. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { damageDesk } from '#embedded/damage.ts';
import { openDatabase, totalsPath } from '#embedded/open-database.ts';
import { readTotals } from '#embedded/totals.ts';
import { readTotalsFile } from '#embedded/totals-file.ts';
import { testLog } from '../support/log.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

function openedAs(path: string) {
  const open = openDatabase(path, damageDesk(path, testLog()));
  const close = () => {
    if (!open.database.isOpen) return;
    open.file?.close();
    open.database.close();
  };
  onTestFinished(close);
  return { ...open, close };
}

/** What a process that was killed leaves. */
function killed(path: string): string {
  const copy = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

test('each start is counted, in the database and in the file beside it', () => {
  const path = somewhere();
  for (const starts of [1, 2, 3]) {
    const { database, totals, close } = openedAs(path);
    expect(totals.current).toMatchObject({ commits: starts, accepted: 0 });
    expect(readTotals(database)).toEqual({ kind: 'read', totals: totals.current });
    expect(readTotalsFile(totalsPath(path))).toMatchObject({ totals: totals.current });
    close();
  }
});

test('data in memory have no file and no start before', () => {
  const { file, totals } = openedAs(':memory:');
  expect(file).toBe(null);
  expect(totals.current.commits).toBe(0);
});

test('a start gives back the room of the log that a crash left', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  const copy = killed(path);
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
  openedAs(copy);
  expect(statSync(`${copy}-wal`).size).toBe(0);
});

test('the log that was not read whole is kept once, as it was first', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  const copy = killed(path);
  const log = `${copy}-wal`;
  const kept = readFileSync(log).subarray(0, 10_000);
  writeFileSync(log, kept);
  expect(() => openedAs(copy)).toThrow(
    new RegExp(
      `^The state store ${copy} has lost .* The write-ahead log is kept as ${log}.damaged\\.$`,
    ),
  );
  writeFileSync(log, 'another');
  expect(() => openedAs(copy)).toThrow(/has lost .*reeve check --accept-loss`\.$/);
  expect(readFileSync(`${log}.damaged`)).toEqual(kept);
});

test('data that lost nothing keep no log aside', async () => {
  const path = await stored('one');
  openedAs(path);
  expect(existsSync(`${path}-wal.damaged`)).toBe(false);
});

test.each([
  ['in a folder that is not there', (path: string) => join(path, 'reeve.db')],
  [
    'that is a folder',
    (path: string) => {
      mkdirSync(path);
      return path;
    },
  ],
])('a path %s is told with what to do', (_, make) => {
  const path = make(join(folder(), 'data'));
  expect(() => openedAs(path)).toThrow(
    expect.objectContaining({
      code: 'store-unusable',
      message: `Cannot open the state store ${path}. Is another Reeve running on the same data, or may the file not be written? Stop the other, or choose another REEVE_DATA.`,
      cause: expect.objectContaining({ message: 'unable to open database file' }),
    }),
  );
});

test('data that were refused are let go of', async () => {
  const path = await stored('one', 'two');
  const before = await stored('one');
  copyFileSync(totalsPath(path), totalsPath(before));
  expect(() => openedAs(before)).toThrow(expect.objectContaining({ code: 'store-damaged' }));
  const database = new DatabaseSync(before);
  onTestFinished(() => database.close());
  database.exec('BEGIN EXCLUSIVE; ROLLBACK');
});
