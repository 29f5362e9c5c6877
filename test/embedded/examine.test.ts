/** `reeve check`, the check of a backup, and its restore, on real files. */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineName, orderId } from '#core/model/ids.ts';
import { acceptLoss, examineBackup, examineData } from '#embedded/integrity/examine.ts';
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
    ['details', "UPDATE Orders SET Details = '{}' WHERE OrderID = 'two'", [['Orders', 'two']]],
  ] as const)('%s', async (_, sql, rows) => {
    const { path, backup } = await backedUp();
    const findings = rows.map(([table, row]) => ({ table, row, reason: noChecksum }));
    for (const [file, examine] of [
      [path, examineData],
      [backup, examineBackup],
    ] as const) {
      edited(file, sql);
      expect(examine(file)).toMatchObject({ ...sound, findings });
    }
  });

  test('a line of orders with a singleton key', async () => {
    const path = somewhere();
    const backup = join(folder(), 'backup.db');
    const { store } = opened(path);
    const name = lineName('a'.repeat(40));
    await store.changeLine({ name, before: [], after: ['one', 'two'].map(orderId) });
    await store.backup(backup);
    store.close();
    for (const [file, examine] of [
      [path, examineData],
      [backup, examineBackup],
    ] as const) {
      expect(examine(file).findings).toEqual([]);
      edited(file, "UPDATE Lines SET OrderIDs = 'two'");
      expect(examine(file).findings).toEqual([{ table: 'Lines', row: name, reason: noChecksum }]);
    }
  });

  test('a missing order', async () => {
    const { path, backup } = await backedUp();
    const reason = '3 orders must be there, and 2 are.';
    for (const [file, examine] of [
      [path, examineData],
      [backup, examineBackup],
    ] as const) {
      edited(file, "DELETE FROM Processes WHERE OrderID = 'two'");
      const findings = [{ table: 'Processes', row: null, reason }];
      expect(examine(file)).toMatchObject({ orders: 2, changes: 3, findings });
    }
  });

  test('an index that contradicts its table', async () => {
    const path = await stored('one', 'two', 'three');
    spoiledOnDisk(path, 'Correlation', 'cart-two', 'cart-twx');
    const said = 'row 2 missing from index Correlation';
    expect(examineData(path).findings).toContainEqual({
      table: 'database',
      row: said,
      reason: said,
    });
  });

  test('a file that is not a database', async () => {
    const path = somewhere();
    writeFileSync(path, 'x'.repeat(10_000));
    const reason = 'SQLite cannot read it: file is not a database.';
    const findings = [{ table: 'database', row: null, reason }];
    const found = { orders: null, changes: null, findings };
    expect([examineData(path), examineBackup(path)]).toEqual([found, { ...found, totals: null }]);
  });
});

test('deleted orders do not count as missing', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  await ended(store, 'two', Date.UTC(2025, 0, 1));
  expect((await store.deleteEnded(Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1))).deleted).toBe(1);
  store.close();
  expect(examineData(path)).toEqual({ orders: 1, changes: 1, findings: [] });
});

/** The files that a killed process leaves. */
async function killed(...ids: string[]): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, ...ids);
  const copy = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

test('when part of the log is lost, the remaining data is checked', async () => {
  const copy = await killed('one', 'two', 'three');
  truncateSync(`${copy}-wal`, readFileSync(`${copy}-wal`).length - 100);
  const { findings, ...counts } = examineData(copy);
  expect(counts).toEqual({ orders: 2, changes: 2 });
  const reason =
    'Work is missing: 1 accepted order and 1 change of orders that were on disk are missing.';
  expect(findings).toEqual([{ table: 'Totals', row: null, reason }]);
});

test('a loss that is accepted keeps the log of which a part was lost', async () => {
  const copy = await killed('one', 'two', 'three');
  truncateSync(`${copy}-wal`, readFileSync(`${copy}-wal`).length - 100);
  const log = readFileSync(`${copy}-wal`);
  expect(acceptLoss(copy)).toBe(`${copy}-wal.damaged`);
  expect(readFileSync(`${copy}-wal.damaged`)).toEqual(log);
  expect(examineData(copy)).toEqual({ orders: 2, changes: 2, findings: [] });
  expect(await idsIn(copy)).toEqual(['one', 'two']);
  // Nothing is missing any more, so that nothing more is kept.
  expect(acceptLoss(copy)).toBe(null);
});

test('each log of which a part was lost is kept, and the same one only once', async () => {
  const path = somewhere();
  const log = `${path}-wal`;
  const lost: Buffer[] = [];
  for (const id of ['one', 'two', 'three']) {
    const { store } = opened(path);
    await accepted(store, id);
    const copy = somewhere();
    for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
    store.close();
    for (const suffix of ['', '-wal', '-totals']) copyFileSync(copy + suffix, path + suffix);
    truncateSync(log, statSync(log).size - 100);
    lost.push(readFileSync(log));
    const kept = ['', '-2', '-3'].map((end) => `${log}.damaged${end}`).slice(0, lost.length);
    expect(acceptLoss(path)).toBe(kept.at(-1));
    expect(kept.map((name) => readFileSync(name))).toEqual(lost);
    // A kill before the log was dropped: the command is repeated with the same one.
    for (const suffix of ['', '-wal', '-totals']) copyFileSync(copy + suffix, path + suffix);
    truncateSync(log, statSync(log).size - 100);
    expect(acceptLoss(path)).toBe(kept.at(-1));
  }
  const names = readdirSync(dirname(path)).filter((name) => name.includes('damaged'));
  expect(names).toHaveLength(3);
});

test('a missing database is reported as a whole, and its loss cannot be accepted', async () => {
  const copy = await killed('one');
  rmSync(copy);
  const reason = expect.stringMatching(/reeve\.db is missing, though .*-wal and .*-totals exist/);
  const findings = [{ table: 'database', row: null, reason }];
  expect(examineData(copy)).toEqual({ orders: null, changes: null, findings });
  expect(() => acceptLoss(copy)).toThrow(expect.objectContaining({ code: 'store-damaged' }));
  expect(existsSync(copy)).toBe(false);
});

/** Name, content and instant of the last change of each file. */
const filesBeside = (path: string) =>
  readdirSync(dirname(path))
    .toSorted()
    .map((name) => {
      const file = join(dirname(path), name);
      return [name, readFileSync(file).toString('latin1'), statSync(file).mtimeMs];
    });

test.each([
  ['after a clean end', () => stored('one', 'two')],
  ['after a kill', () => killed('one', 'two')],
  [
    'after a kill, with a part of the log missing',
    async () => {
      const path = await killed('one', 'two');
      truncateSync(`${path}-wal`, 10_000);
      return path;
    },
  ],
  [
    'without a totals file',
    async () => {
      const path = await stored('one');
      rmSync(`${path}-totals`);
      return path;
    },
  ],
  [
    'that an older Reeve made',
    async () => {
      const path = await stored('one', 'two');
      edited(path, 'DROP INDEX Correlation; ALTER TABLE Orders DROP COLUMN Checksum');
      return path;
    },
  ],
])('a check of data %s finds the same twice, and changes nothing on disk', async (_, make) => {
  const path = await make();
  const before = filesBeside(path);
  const found = examineData(path);
  expect(examineData(path)).toEqual(found);
  expect(filesBeside(path)).toEqual(before);
});

test('data of an older release are checked as an upgrade will leave them', async () => {
  const path = await stored('one', 'two');
  edited(path, 'DROP INDEX Correlation; ALTER TABLE Orders DROP COLUMN Checksum');
  edited(path, "DELETE FROM Orders WHERE OrderID = 'two'");
  const reason = 'By the indexes, order two has no row in table Orders.';
  const findings = [{ table: 'Orders', row: 'two', reason }];
  expect(examineData(path)).toEqual({ orders: 2, changes: 2, findings });
});

test('data in use are not examined', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  const before = readFileSync(`${path}-totals`);
  expect(() => examineData(path)).toThrow(expect.objectContaining({ code: 'store-in-use' }));
  expect(() => acceptLoss(path)).toThrow(expect.objectContaining({ code: 'store-in-use' }));
  expect(readFileSync(`${path}-totals`)).toEqual(before);
});

test('a lost totals file is reported until the loss is accepted', async () => {
  const path = await stored('one');
  rmSync(`${path}-totals`);
  const copy = somewhere();
  copyFileSync(path, copy);
  const reason = expect.stringMatching(/^There is no totals file: /);
  for (const _look of [1, 2]) {
    expect(examineData(path).findings).toEqual([{ table: 'Totals', row: null, reason }]);
  }
  expect(acceptLoss(copy)).toBe(null);
  expect(examineData(copy).findings).toEqual([]);
});

test('a log and a totals file that are lost together are found by the check and by the start, also after the first start', async () => {
  const copy = await killed('one', 'two');
  for (const suffix of ['-wal', '-totals']) rmSync(copy + suffix);
  const reason = expect.stringMatching(/^There is no totals file: whether accepted work was lost /);
  const finding = { table: 'Totals', row: null, reason };
  // The orders were in the log alone.
  expect(examineData(copy)).toEqual({ orders: 0, changes: 0, findings: [finding] });
  const { store, log } = opened(copy);
  expect(log.lines).toEqual([{ event: 'store-damaged', fields: { file: copy, ...finding } }]);
  store.close();
});

test('after a start on data whose totals are damaged, the next one finds nothing that is missing', async () => {
  const path = await stored('one', 'two');
  edited(path, 'UPDATE Totals SET Accepted = 7');
  const first = opened(path);
  expect(first.log.lines).toMatchObject([{ event: 'store-damaged', fields: { table: 'Totals' } }]);
  first.store.close();
  const { store, log } = opened(path);
  expect(log.lines).toEqual([]);
  store.close();
  expect(examineData(path).findings).toEqual([]);
});

test('a backup that was examined is one file', async () => {
  const { backup } = await backedUp();
  expect(examineBackup(backup)).toMatchObject(sound);
  expect(readdirSync(dirname(backup))).toEqual(['backup.db']);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  // 1 in bytes 18 and 19: a database that needs no log beside it.
  expect([...readFileSync(backup).subarray(18, 20)]).toEqual([1, 1]);
});

test.each([
  ['without totals', 'DROP TABLE Totals'],
  ['with damaged totals', 'UPDATE Totals SET Accepted = Accepted + 1'],
])('a file %s is no backup', async (_, sql) => {
  const { backup } = await backedUp();
  edited(backup, sql);
  const reason = 'It has no totals: Reeve did not make this backup.';
  const findings = [{ table: 'Totals', row: null, reason }];
  expect(examineBackup(backup)).toEqual({ orders: null, changes: null, findings, totals: null });
});

test('a backup of a release without singletons is sound', async () => {
  const { backup } = await backedUp();
  edited(backup, 'DROP TABLE Lines');
  expect(examineBackup(backup)).toMatchObject(sound);
});
