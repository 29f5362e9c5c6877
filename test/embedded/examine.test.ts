/** `reeve check`, the check of a backup, and what is put in the place of the data, on real files. */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ReeveError } from '#core/errors.ts';
import { orderId } from '#core/ids.ts';
import { acceptLoss, examineBackup, examineData, restoreData } from '#embedded/examine.ts';
import {
  accepted,
  edited,
  ended,
  folder,
  opened,
  somewhere,
  spoiledOnDisk,
  stored,
} from '../support/stored-data.ts';

const sound = { orders: 3, changes: 3, findings: [] };

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

async function idsIn(path: string): Promise<string[]> {
  const { store } = opened(path);
  const ids = ['one', 'two', 'three', 'four'].map(orderId);
  const records = await store.records(ids);
  store.close();
  return [...records.keys()];
}

test('sound data are counted, and can be used afterwards', async () => {
  const path = await stored('one', 'two', 'three');
  expect([examineData(path), examineData(path)]).toEqual([sound, sound]);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
});

const noChecksum = 'Its checksum does not agree.';

describe('each damage is found in the data and in a backup of them:', () => {
  test.each([
    [
      'changes',
      "UPDATE Changes SET Change = '' WHERE Seq <> 2",
      [
        ['Changes', 1],
        ['Changes', 3],
      ],
    ],
    ['an order', "UPDATE Processes SET Tenant = 'x' WHERE Seq = 2", [['Processes', 2]]],
    ['details', "UPDATE Orders SET Details = '{}' WHERE OrderID = 'two'", [['Processes', 2]]],
  ] as const)('%s', async (_, sql, rows) => {
    const { path, backup } = await backedUp();
    const findings = rows.map(([table, row]) => ({ table, row, reason: noChecksum }));
    for (const [file, examine] of [
      [path, examineData],
      [backup, examineBackup],
    ] as const) {
      edited(file, sql);
      expect(examine(file)).toEqual({ ...sound, findings });
    }
  });

  test('an order that is gone', async () => {
    const { path, backup } = await backedUp();
    const reason = '3 orders must be there, and 2 are.';
    for (const [file, examine] of [
      [path, examineData],
      [backup, examineBackup],
    ] as const) {
      edited(file, "DELETE FROM Processes WHERE OrderID = 'two'");
      const findings = [{ table: 'Processes', row: null, reason }];
      expect(examine(file)).toEqual({ orders: 2, changes: 3, findings });
    }
  });

  test('an index that SQLite finds at odds with its table', async () => {
    const path = await stored('one', 'two', 'three');
    spoiledOnDisk(path, 'Correlation', 'cart-two', 'cart-twx');
    const said = 'row 2 missing from index Correlation';
    expect(examineData(path).findings).toContainEqual({
      table: 'database',
      row: said,
      reason: said,
    });
  });

  test('a file that is no database', async () => {
    const path = somewhere();
    writeFileSync(path, 'x'.repeat(10_000));
    const reason = expect.stringMatching(/is damaged \(SQLite: file is not a database\)/);
    const found = { orders: 0, changes: 0, findings: [{ table: 'database', row: null, reason }] };
    expect([examineData(path), examineBackup(path)]).toEqual([found, found]);
  });
});

test('orders that were forgotten are not missed', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  await ended(store, 'two', Date.UTC(2025, 0, 1));
  expect(await store.forgetEnded(Date.UTC(2026, 0, 1))).toBe(1);
  store.close();
  expect(examineData(path)).toEqual({ orders: 1, changes: 1, findings: [] });
});

test('data that lost their log are told of as a whole, and the log is kept', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  const copy = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
  truncateSync(`${copy}-wal`, 10_000);
  const { findings, ...counts } = examineData(copy);
  expect(counts).toEqual({ orders: 0, changes: 0 });
  const reason = expect.stringMatching(
    /has lost what it had accepted: 1 accepted order .*is kept as .*-wal\.damaged\.$/,
  );
  expect(findings).toEqual([{ table: 'database', row: null, reason }]);
  expect(readFileSync(`${copy}-wal.damaged`)).toHaveLength(10_000);

  acceptLoss(copy);
  expect(examineData(copy)).toEqual({ orders: 0, changes: 0, findings: [] });
});

test('data in use are not examined', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  expect(() => examineData(path)).toThrow(expect.objectContaining({ code: 'store-unusable' }));
  expect(() => acceptLoss(path)).toThrow(ReeveError);
});

test('what a lost totals file may hide is told until it is accepted', async () => {
  const path = await stored('one');
  rmSync(`${path}-totals`);
  const copy = somewhere();
  copyFileSync(path, copy);
  const reason = expect.stringMatching(/^There is no totals file: /);
  expect(examineData(path).findings).toEqual([{ table: 'Totals', row: null, reason }]);
  acceptLoss(copy);
  expect(examineData(copy).findings).toEqual([]);
});

test('a backup that was examined is one file', async () => {
  const { backup } = await backedUp();
  expect(examineBackup(backup)).toEqual(sound);
  expect(readdirSync(dirname(backup))).toEqual(['backup.db']);
  // 1 in bytes 18 and 19: a database that needs no log beside it.
  expect([...readFileSync(backup).subarray(18, 20)]).toEqual([1, 1]);
});

test.each([
  ['without totals', 'DROP TABLE Totals'],
  ['with damaged totals', 'UPDATE Totals SET Accepted = Accepted + 1'],
])('a file %s is no backup', async (_, sql) => {
  const { backup } = await backedUp();
  edited(backup, sql);
  const reason = 'It has no totals: it is no backup that Reeve made.';
  const findings = [{ table: 'Totals', row: null, reason }];
  expect(examineBackup(backup)).toEqual({ orders: 0, changes: 0, findings });
});

test('a backup is put where there was nothing', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  expect(restoreData(backup, path, 'now')).toBe(null);
  expect(readdirSync(dirname(path))).toEqual(['reeve.db']);
  expect(await idsIn(path)).toEqual(['one', 'two', 'three']);
  expect(existsSync(backup)).toBe(true);
});

test('a backup is put in the place of data, which are kept with all their files', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'four');
  const crashed = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, crashed + suffix);
  expect(restoreData(backup, crashed, 'now')).toBe(`${crashed}.replaced-now`);
  expect(await idsIn(crashed)).toEqual(['one', 'two', 'three']);
  expect(await idsIn(`${crashed}.replaced-now`)).toEqual(['four']);
});

test('data that are damaged are replaced as well', async () => {
  const { backup } = await backedUp();
  const path = somewhere();
  writeFileSync(path, 'x'.repeat(10_000));
  for (const suffix of ['-wal', '-totals']) writeFileSync(path + suffix, suffix);
  expect(restoreData(backup, path, 'now')).toBe(`${path}.replaced-now`);
  // What is left of their log must not be read as that of the backup.
  expect(readdirSync(dirname(path)).toSorted()).toEqual([
    'reeve.db',
    'reeve.db.replaced-now',
    'reeve.db.replaced-now-totals',
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
      code: 'store-unusable',
      message: expect.stringMatching(/reeve\.db, or it may not be written\. Stop Reeve first\.$/),
      cause: expect.objectContaining({ message: 'database is locked' }),
    }),
  );
  await accepted(store, 'one');
  store.close();
  expect(await idsIn(path)).toEqual(['one', 'four']);
});
