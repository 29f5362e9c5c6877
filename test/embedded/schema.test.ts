/** Data of an older release are upgraded row by row, and unreadable rows are left unchanged. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { orderId, writeId } from '#core/model/ids.ts';
import { examineData } from '#embedded/integrity/examine.ts';
import { newOrder } from '../support/orders.ts';
import { accepted, edited, opened, stored } from '../support/stored-data.ts';
import { undelivered } from '../support/undelivered.ts';

const tables = ['Orders', 'Processes', 'Changes'] as const;

function valueIn(path: string, sql: string): unknown {
  const database = new DatabaseSync(path);
  const row = database.prepare(sql).get();
  database.close();
  return Object.values(row ?? {})[0];
}

async function withoutChecksums(...ids: readonly string[]): Promise<string> {
  const path = await stored(...ids);
  for (const table of tables) edited(path, `ALTER TABLE ${table} DROP COLUMN Checksum`);
  return path;
}

test('each row without a checksum gets one', async () => {
  const path = await withoutChecksums('one', 'two', 'three');
  const { store, log } = opened(path);
  const verification = store.verify();
  while (verification.next(10));
  const left = undelivered(store).map(({ change }) => change.orderId);
  expect([verification.checked(), left, log.lines]).toEqual([3, ['one', 'two', 'three'], []]);
  store.close();
  for (const table of tables) {
    expect(valueIn(path, `SELECT count(DISTINCT Checksum) FROM ${table}`)).toBe(3);
  }
});

test('checksums are added once, so that later changes are detected', async () => {
  const path = await withoutChecksums('one', 'two');
  opened(path).store.close();
  edited(path, "UPDATE Orders SET Digest = 'x' WHERE OrderID = 'one'");
  edited(path, "UPDATE Changes SET Change = replace(Change, 'Pending', 'Undone') WHERE Seq = 2");
  const { store, log } = opened(path);
  await expect(store.orders([orderId('one')])).rejects.toThrow(/checksum/);
  undelivered(store);
  expect(log.lines.map(({ fields: { table, row } }) => [table, row])).toEqual([
    ['Orders', 'one'],
    ['Changes', 2],
  ]);
});

test('an unreadable row gets no checksum, and the others get theirs', async () => {
  const path = await withoutChecksums('one', 'two', 'three');
  edited(path, "UPDATE Processes SET UpdatedAt = 4611686018427387904 WHERE OrderID = 'two'");
  const { store, log } = opened(path);
  const records = await store.records([orderId('one'), orderId('three')]);
  expect([...records.keys()]).toEqual(['one', 'three']);
  await expect(store.records([orderId('two')])).rejects.toThrow(/Row two .*never writes/);
  expect(log.lines).toHaveLength(1);
});

test('data that cannot be upgraded are not used, and stay unchanged', async () => {
  const path = await withoutChecksums('one');
  // The disk refuses the writes of an upgrade.
  edited(path, "CREATE TRIGGER No BEFORE UPDATE ON Processes BEGIN SELECT raise(ABORT, 'no'); END");
  expect(() => opened(path)).toThrow(expect.objectContaining({ code: 'store-unusable' }));
  const columns = "SELECT count(*) FROM pragma_table_info('Processes') WHERE name = 'Checksum'";
  expect(valueIn(path, columns)).toBe(0);
  edited(path, 'DROP TRIGGER No');
  const { store, log } = opened(path);
  expect([...(await store.records([orderId('one')])).keys()]).toEqual(['one']);
  expect(log.lines).toEqual([]);
});

test('a database of an older Reeve, whose orders are stored by their ids, is continued', async () => {
  const path = await stored('one', 'two');
  edited(
    path,
    `ALTER TABLE Orders RENAME TO Later;
     CREATE TABLE Orders (
       OrderID TEXT PRIMARY KEY, Details TEXT NOT NULL, Digest TEXT NOT NULL, SubmittedAt INTEGER NOT NULL, Checksum INTEGER
     ) STRICT, WITHOUT ROWID;
     INSERT INTO Orders SELECT OrderID, Details, Digest, SubmittedAt, Checksum FROM Later;
     DROP TABLE Later`,
  );
  const ids = ['one', 'two', 'three'].map(orderId);
  const { store, log } = opened(path);
  await accepted(store, 'three');
  expect([...(await store.orders(ids)).keys()]).toEqual(ids);
  const { order, record } = newOrder('two', 0);
  expect(await store.create(order, { ...record, writeId: writeId('other') })).toBe('exists');
  const verification = store.verify();
  while (verification.next(10));
  store.close();
  expect([verification.checked(), log.lines, examineData(path).findings]).toEqual([3, [], []]);
});

test('an older database gets the new columns, and its orders stay unchanged', async () => {
  const path = await stored('one', 'two');
  const { store: before } = opened(path);
  const records = await before.records([orderId('one'), orderId('two')]);
  before.close();
  edited(
    path,
    `ALTER TABLE Processes DROP COLUMN Extension;
     DROP INDEX Correlation; ALTER TABLE Processes DROP COLUMN CorrelationID`,
  );
  const { store: older } = opened(path);
  await accepted(older, 'three');
  older.close();
  const { store, log } = opened(path);
  const ids = ['one', 'two', 'three'].map(orderId);
  expect([...(await store.records([orderId('three')])).keys()]).toEqual(['three']);
  // Their correlation ids went with the column, which their checksums cover.
  for (const id of ids.slice(0, 2)) {
    await expect(store.records([id])).rejects.toThrow(/checksum/);
  }
  expect([records.size, log.lines.length]).toEqual([2, 2]);
});

test('an unreadable change is left for its reader to refuse', async () => {
  const path = await stored('one', 'two');
  edited(
    path,
    `UPDATE Changes SET Change = 'none' WHERE Seq = 1;
     ALTER TABLE Changes DROP COLUMN Audience; ALTER TABLE Changes DROP COLUMN Checksum`,
  );
  const { store, log } = opened(path);
  const left = undelivered(store).map(({ change }) => change.orderId);
  expect(left).toEqual(['two']);
  expect(log.lines).toMatchObject([{ fields: { table: 'Changes', row: 1 } }]);
});

test('the index finds an order by its correlation id', async () => {
  const path = await stored('one', 'two');
  edited(path, 'DROP INDEX Correlation');
  opened(path).store.close();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const plan = database
    .prepare("EXPLAIN QUERY PLAN SELECT Seq FROM Processes WHERE CorrelationID = 'x' AND Seq < 9")
    .get();
  expect(plan?.['detail']).toMatch(/INDEX Correlation/);
});
