/** The check of the stored orders finds and names damage that a single row does not show. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { checksumOf } from '#embedded/integrity/checksums.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { verification } from '#embedded/integrity/verify.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, next } from '../support/orders.ts';
import {
  accepted,
  edited,
  ended,
  opened,
  pageLost,
  rootOf,
  somewhere,
  spoiledOnDisk,
  stored,
} from '../support/stored-data.ts';

const now = Date.UTC(2026, 0, 1);

/** One order for each index: due, in Error, with a correlation id. */
async function oneOfEachKind(): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  for (const id of ['one', 'two', 'xyz']) {
    const { order, record } = newOrder(id, now, null, id === 'two' ? 'cart-7' : null);
    await store.create(order, record);
    if (id !== 'xyz') continue;
    const fault = { code: 'x', message: 'No.', effect: 'none', step: null, action: null } as const;
    await store.commit({ ...claimed(record, now), processState: 'Error', lockedBy: null, fault });
  }
  await ended(store, 'zzz');
  store.close();
  return path;
}

function verified(path: string, slice = 2) {
  const { store, log } = opened(path);
  const going = store.verify();
  while (going.next(slice));
  const found = log.lines.map(({ event, fields: { table, row, reason } }) => [
    event,
    table,
    row,
    reason,
  ]);
  store.close();
  return { found, checked: going.checked() };
}

const finding = (row: number, reason: string) => [
  'store-damaged',
  'Processes',
  row,
  `By the indexes, ${reason}.`,
];

describe('an index that does not lead to an order is found:', () => {
  test.each([
    ['sqlite_autoindex_Processes_1', 'two', 'twx', 2, 'index of ids does not lead to order two'],
    ['Due', 'two', 'twx', 2, 'index Due does not lead to order two'],
    ['Attention', 'Error', 'Errox', 3, 'index Attention does not lead to order xyz'],
    ['Correlation', 'cart-7', 'cart-8', 2, 'index Correlation does not lead to order two'],
  ])('%s', async (index, text, other, row, reason) => {
    const path = await oneOfEachKind();
    expect(verified(path)).toEqual({ found: [], checked: 4 });
    spoiledOnDisk(path, index, text, other);
    expect(verified(path)).toEqual({ found: [finding(row, reason)], checked: 4 });
  });
});

test('an order that the disk does not give is a finding, and the others are verified', async () => {
  const path = await oneOfEachKind();
  const database = new DatabaseSync(path);
  const log = testLog();
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    if (!sql.startsWith('SELECT * FROM Processes')) return statement;
    vi.spyOn(statement, 'get').mockImplementationOnce(() => {
      const code = { code: 'ERR_SQLITE_ERROR', errcode: 266, errstr: 'disk I/O error' };
      throw Object.assign(new Error('disk I/O error'), code);
    });
    return statement;
  };
  const going = verification({
    database: { prepare },
    damage: damageReport(path, log),
    expected: 4,
  });
  while (going.next(2));
  database.close();
  expect(going.checked()).toBe(4);
  expect(log.lines.map(({ fields: { row } }) => row)).toEqual([1]);
  expect(log.lines[0]?.fields['reason']).toMatch(
    /^It cannot be read: The disk failed under the state store .*\.$/,
  );
});

test('an index that leads to another order is found', async () => {
  const path = await oneOfEachKind();
  const ids = 'sqlite_autoindex_Processes_1';
  spoiledOnDisk(path, ids, 'two', 'twx');
  spoiledOnDisk(path, ids, 'one', 'two');
  expect(verified(path).found).toEqual([
    finding(1, 'index of ids does not lead to order one'),
    finding(2, 'index of ids does not lead to order two'),
  ]);
});

test('it finds that an index lacks an order', async () => {
  const path = somewhere();
  const { store } = opened(path);
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const asked = next(record, { type: 'cancel', by: 'ada' }, now);
  for (const each of [asked, claimed(asked, now)]) await store.commit(each);
  store.close();
  expect(verified(path).found).toEqual([]);
  spoiledOnDisk(path, 'Attention', 'Undone', 'Undonx');
  expect(verified(path).found).toEqual([finding(1, 'index Attention does not lead to order one')]);
});

/** An edit of the table with a matching checksum. */
function fittingly(path: string, orderId: string, changes: Readonly<Record<string, null>>): void {
  const database = new DatabaseSync(path);
  const read = database.prepare('SELECT * FROM Processes WHERE OrderID = ?');
  const row = { ...read.get(orderId), ...changes };
  for (const [column, value] of Object.entries(changes)) {
    database.prepare(`UPDATE Processes SET ${column} = ? WHERE OrderID = ?`).run(value, orderId);
  }
  database
    .prepare('UPDATE Processes SET Checksum = ? WHERE OrderID = ?')
    .run(checksumOf('Processes', row), orderId);
  database.close();
}

test.each([
  ['one', [finding(1, 'live order one is never due')]],
  ['xyz', []],
  ['zzz', []],
])('order %s without a due time is reported only if it must have one', async (orderId, found) => {
  const path = await oneOfEachKind();
  fittingly(path, orderId, { DueAt: null });
  expect(verified(path).found).toEqual(found);
});

test('a live order that is claimed and never due is found as well', async () => {
  const path = somewhere();
  const { store } = opened(path);
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  await store.commit(claimed(record, now));
  store.close();
  fittingly(path, 'one', { DueAt: null });
  expect(verified(path).found).toEqual([finding(1, 'live order one is never due')]);
});

test('an order without details, and one whose details were changed, are found', async () => {
  const path = await oneOfEachKind();
  edited(path, `DELETE FROM Orders WHERE OrderID = 'one'`);
  edited(path, `UPDATE Orders SET Details = '{}' WHERE OrderID = 'xyz'`);
  expect(verified(path).found).toEqual([
    [
      ...['store-damaged', 'Orders', 'one'],
      'By the indexes, order one has no row in table Orders.',
    ],
    ['store-damaged', 'Orders', 'xyz', 'Its checksum does not agree.'],
  ]);
});

test.each([
  ['too few', `DELETE FROM Processes WHERE OrderID = 'three'`, 2],
  ['none of them', 'DELETE FROM Processes', 0],
])('it finds %s with slices of any size', async (_, sql, left) => {
  const path = await stored('one', 'two', 'three');
  edited(path, sql);
  const reason = `3 orders must be there, and ${left} are.`;
  for (const slice of [1, 2, 3, 100]) {
    expect(verified(path, slice)).toEqual({
      found: [['store-damaged', 'Processes', null, reason]],
      checked: left,
    });
  }
});

test('a slice has the requested size, and after the last slice the check is complete', async () => {
  const { store, log } = opened(await stored('one', 'two', 'three'));
  const going = store.verify();
  const steps = [1, 2, 3].map(() => [going.next(2), going.checked()]);
  expect(steps).toEqual([
    [true, 2],
    [false, 3],
    [false, 3],
  ]);
  await accepted(store, 'four');
  expect([going.next(2), going.checked(), log.lines]).toEqual([false, 3, []]);
});

test('data without orders are sound', () => {
  expect(verified(somewhere())).toEqual({ found: [], checked: 0 });
});

/** Overwrites one page of the table that is neither the first nor the last. */
function loseAPage(path: string): void {
  const root = rootOf(path, 'Processes');
  const bytes = readFileSync(path);
  // The first page of a longer table refers to the others: https://www.sqlite.org/fileformat2.html#b_tree_pages
  const fifth = bytes.readUInt16BE(root + 12 + 2 * 4);
  pageLost(path, (bytes.readUInt32BE(root + fifth) - 1) * 4_096);
}

test('unreadable rows end the check and are reported', async () => {
  const path = await stored(...Array.from({ length: 90 }, (_, at) => `order-${at}`));
  loseAPage(path);
  const { found, checked } = verified(path, 5);
  expect(found).toEqual([
    [
      'store-damaged',
      'Processes',
      checked,
      `The rows after number ${checked} cannot be read: database disk image is malformed.`,
    ],
  ]);
  expect(checked % 5).toBe(0);
  expect(checked).toBeGreaterThan(0);
});

test('a missing index is reported, and no order is checked', async () => {
  const path = await stored('one');
  edited(path, 'DROP INDEX Due');
  const log = testLog();
  const database = new DatabaseSync(path);
  const going = verification({ database, damage: damageReport(path, log), expected: 1 });
  going.forgot(1);
  expect([going.next(10), going.checked()]).toEqual([false, 0]);
  database.close();
  expect(log.lines).toMatchObject([
    {
      fields: {
        table: 'sqlite_schema',
        row: null,
        reason: 'A table or an index is not as it was made: no such index: Due.',
      },
    },
  ]);
});
