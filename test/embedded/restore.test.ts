/** Replaces the data with a backup, on real files. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { restoreData } from '#embedded/copies/restore.ts';
import { examineData } from '#embedded/integrity/examine.ts';
import { accepted, edited, folder, opened, somewhere } from '../support/stored-data.ts';

const noChecksum = 'Its checksum does not agree.';

/** The data of orders one, two and three, and a backup of them taken while they were in use. */
async function backedUp(): Promise<{ readonly path: string; readonly backup: string }> {
  const path = somewhere();
  const backup = join(folder(), 'backup.db');
  const { store } = opened(path);
  await accepted(store, 'one', 'two', 'three');
  await store.backup(backup);
  store.close();
  return { path, backup };
}

/** The orders of sound data. */
async function idsIn(path: string): Promise<string[]> {
  const { store, log } = opened(path);
  const ids = ['one', 'two', 'three', 'four'].map(orderId);
  const records = await store.records(ids);
  expect([store.damaged(), log.lines]).toEqual([0, []]);
  store.close();
  return [...records.keys()];
}

test('restored data are sound: a check finds nothing, and a start reports nothing', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  restoreData(backup, path, 'now');
  expect(examineData(path)).toEqual({ orders: 3, changes: 3, findings: [] });
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

test('data with a log beside them are no backup: the file alone would lose what is in the log', async () => {
  const used = somewhere();
  const { store } = opened(used);
  await accepted(store, 'one');
  // As after a kill: the log has what no checkpoint has copied yet.
  const left = somewhere();
  for (const end of ['', '-wal', '-totals']) copyFileSync(`${used}${end}`, `${left}${end}`);
  store.close();
  expect(statSync(`${left}-wal`).size).toBeGreaterThan(0);
  const path = somewhere();
  expect(() => restoreData(left, path, 'now')).toThrow(
    expect.objectContaining({
      code: 'backup-damaged',
      message: expect.stringContaining('reeve.db-wal beside it'),
    }),
  );
  expect(existsSync(path)).toBe(false);
  expect(await idsIn(left)).toEqual(['one']);
});

test('the copy of an interrupted restore is no backup while it has its name, and is kept', async () => {
  const { backup, path } = await backedUp();
  const copy = `${path}.restoring`;
  copyFileSync(backup, copy);
  expect(() => restoreData(copy, path, 'now')).toThrow(
    expect.objectContaining({
      code: 'backup-damaged',
      message: expect.stringContaining('interrupted'),
    }),
  );
  expect(existsSync(copy)).toBe(true);
});

test('a restore is refused while another one of the same data is at work, and changes none of its files', async () => {
  const { backup, path } = await backedUp();
  const file = `${path}.restoring-lock`;
  const other = new DatabaseSync(file);
  other.exec('BEGIN EXCLUSIVE');
  const copy = `${path}.restoring`;
  writeFileSync(copy, 'the copy of the other one');
  expect(() => restoreData(backup, path, 'now')).toThrow(
    expect.objectContaining({
      code: 'store-in-use',
      message: expect.stringContaining('Another restore'),
    }),
  );
  expect(readFileSync(copy, 'utf8')).toBe('the copy of the other one');
  other.close();
  // The lock of a restore that was killed is a file without a lock.
  expect(existsSync(file)).toBe(true);
  restoreData(backup, path, 'now');
  expect(readdirSync(dirname(path)).filter((name) => name.includes('restoring'))).toEqual([]);
});

test('a missing folder is created, for its owner alone', async () => {
  const { backup } = await backedUp();
  chmodSync(backup, 0o644);
  const path = join(folder(), 'new', 'data', 'reeve.db');
  restoreData(backup, path, 'now');
  for (const made of [dirname(dirname(path)), dirname(path)]) {
    expect(statSync(made).mode & 0o777).toBe(0o700);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

test.each([
  [
    'is not there',
    (file: string) => file,
    /^Cannot read the backup \S+: there is no such file or folder\.$/,
  ],
  [
    'is a folder',
    (file: string) => {
      mkdirSync(file);
      return file;
    },
    /^Cannot read the backup \S+: it is a folder\.$/,
  ],
])('the error for a backup that %s names it, and nothing is created', async (_, make, says) => {
  const data = join(folder(), 'data');
  const backup = make(join(folder(), 'backup.db'));
  expect(() => restoreData(backup, join(data, 'reeve.db'), 'now')).toThrow(
    expect.objectContaining({
      code: 'file-unusable',
      message: expect.stringMatching(says),
    }),
  );
  expect(existsSync(data)).toBe(false);
});

test('the error for a folder that cannot be created names it', async () => {
  const { path, backup } = await backedUp();
  expect(() => restoreData(backup, join(path, 'data', 'reeve.db'), 'now')).toThrow(
    expect.objectContaining({
      code: 'file-unusable',
      message: `Cannot make the folder ${path}: a file of that name exists.`,
    }),
  );
});

test('a log without its database is kept too', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'four');
  const left = somewhere();
  for (const suffix of ['-wal', '-totals']) copyFileSync(path + suffix, left + suffix);
  const log = readFileSync(`${left}-wal`);
  expect(restoreData(backup, left, 'now').kept).toBe(`${left}.replaced-now`);
  expect(readFileSync(`${left}.replaced-now-wal`)).toEqual(log);
  expect(await idsIn(left)).toEqual(['one', 'two', 'three']);
});

test('an empty database does not make a restore drop its log', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'four');
  const left = somewhere();
  copyFileSync(`${path}-wal`, `${left}-wal`);
  writeFileSync(left, '');
  restoreData(backup, left, 'now');
  expect(readFileSync(`${left}.replaced-now-wal`)).toEqual(readFileSync(`${path}-wal`));
});

test('the files of an interrupted restore do not block the next one', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  for (const suffix of ['', '-wal', '-totals']) writeFileSync(`${path}.restoring${suffix}`, 'x');
  restoreData(backup, path, 'now');
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['reeve.db', 'reeve.db-totals']);
  rmSync(`${path}-totals`);
  expect(examineData(path).findings).toHaveLength(1);
});

test('a backup is restored where there were no data', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  expect(restoreData(backup, path, 'now')).toEqual({ kept: null, orders: 3, changes: 3 });
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['reeve.db', 'reeve.db-totals']);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
  expect(existsSync(backup)).toBe(true);
});

test('a backup replaces data, which are kept with all their files', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'four');
  const crashed = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, crashed + suffix);
  expect(restoreData(backup, crashed, 'now').kept).toBe(`${crashed}.replaced-now`);
  expect(await idsIn(crashed)).toEqual(['one', 'two', 'three']);
  expect(await idsIn(`${crashed}.replaced-now`)).toEqual(['four']);
});

test('data that were kept before stay, also those of which one file is left', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const parts = ['', '-wal', '-totals'];
  for (const part of parts) writeFileSync(`${path}.replaced-now${part}`, `before ${part}`);
  for (const part of parts) writeFileSync(path + part, `${'x'.repeat(10_000)} ${part}`);
  expect(restoreData(backup, path, 'now').kept).toBe(`${path}.replaced-now-2`);
  writeFileSync(`${path}.replaced-now-3-wal`, 'x');
  expect(restoreData(backup, path, 'now').kept).toBe(`${path}.replaced-now-4`);
  for (const part of parts) {
    expect(readFileSync(`${path}.replaced-now${part}`, 'utf8')).toBe(`before ${part}`);
    expect(readFileSync(`${path}.replaced-now-2${part}`, 'utf8')).toMatch(/^xx/);
  }
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

test('the journal of a first start that was killed does not undo the restored data', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  writeFileSync(path, '');
  const journal = new DatabaseSync(`${path}.first`);
  journal.exec('CREATE TABLE T (V TEXT); PRAGMA cache_size = 1; BEGIN');
  for (let at = 0; at < 50; at += 1) journal.exec(`INSERT INTO T VALUES ('${'x'.repeat(4_000)}')`);
  copyFileSync(`${path}.first-journal`, `${path}-journal`);
  journal.close();
  restoreData(backup, path, 'now');
  expect(existsSync(`${path}.replaced-now-journal`)).toBe(true);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

test('damaged data is replaced too', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  writeFileSync(path, 'x'.repeat(10_000));
  for (const suffix of ['-wal', '-totals']) writeFileSync(path + suffix, suffix);
  expect(restoreData(backup, path, 'now').kept).toBe(`${path}.replaced-now`);
  // The rest of their log must not be read as the log of the backup.
  expect(readdirSync(dirname(path)).toSorted()).toEqual([
    'reeve.db',
    'reeve.db-totals',
    'reeve.db.replaced-now',
    'reeve.db.replaced-now-totals',
    'reeve.db.replaced-now-wal',
  ]);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

test('a damaged backup changes nothing', async () => {
  const { path, backup } = await backedUp();
  edited(backup, "UPDATE Processes SET Tenant = 'x' WHERE Seq = 2");
  const before = readFileSync(path);
  expect(() => restoreData(backup, path, 'now')).toThrow(
    expect.objectContaining({
      code: 'backup-damaged',
      message: `The backup ${backup} is damaged: ${noChecksum} Nothing was changed. Take another backup.`,
    }),
  );
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['reeve.db', 'reeve.db-totals']);
});

test('data in use are not replaced', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'four');
  expect(() => restoreData(backup, path, 'now')).toThrow(
    expect.objectContaining({
      code: 'store-in-use',
      message: `Another process uses the state store ${path}. Stop Reeve first.`,
      cause: expect.objectContaining({ message: 'database is locked' }),
    }),
  );
  await accepted(store, 'one');
  store.close();
  expect(await idsIn(path)).toEqual(['one', 'four']);
});
