/** Stored data that the disk has changed are detected and named, and other data are not affected. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { openDatabase } from '#embedded/open-database.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { damageTrials } from '../damage/trials.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { undelivered } from '../support/undelivered.ts';

const now = Date.UTC(2026, 0, 1);

function somewhere(): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-damaged-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'reeve.db');
}

function opened(path: string) {
  const log = testLog();
  const store = sqliteStore({ path, sweepPeriodMs: 1_000, log });
  onTestFinished(() => store.close());
  return { store, log };
}

async function accepted(store: SqliteStore, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const { order, record } = newOrder(id, now, 'shop');
    await store.create(order, record);
  }
}

function edited(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** The files that a killed process leaves. */
function killed(path: string): string {
  const copy = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

test('flipped bits and truncated files are each reported, or change no order', async () => {
  const count = Number(process.env['REEVE_STORE_RUNS'] ?? 24);
  const trials = await damageTrials(count, 12, 60);
  expect(trials).toHaveLength(count);
  const bad = trials.filter(
    ({ outcome }) => !['refused', 'reported', 'harmless'].includes(outcome),
  );
  expect(bad).toEqual([]);
});

test.each([
  ['is gone', (log: string) => rmSync(log)],
  ['is cut', (log: string) => truncateSync(log, 10_000)],
])(
  'a start whose write-ahead log %s is refused, because accepted orders are missing',
  async (_, harm) => {
    const path = somewhere();
    const { store } = opened(path);
    await accepted(store, 'one', 'two', 'three');
    const copy = killed(path);
    harm(`${copy}-wal`);
    expect(() => opened(copy)).toThrow(/lost accepted work: .* accepted orders? .*reeve restore/);
    expect(() => opened(copy)).toThrow(expect.objectContaining({ code: 'store-damaged' }));
  },
);

test('a missing database, or an older copy, is refused, and a missing totals file is reported', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  const older = killed(path);
  await accepted(store, 'two');
  const copy = killed(path);
  copyFileSync(`${copy}-totals`, `${older}-totals`);
  expect(() => opened(older)).toThrow(/1 accepted order and 1 change/);
  const withoutDatabase = somewhere();
  copyFileSync(`${copy}-totals`, `${withoutDatabase}-totals`);
  expect(() => opened(withoutDatabase)).toThrow(/is missing, though \S+-totals exists/);
  rmSync(`${copy}-totals`);
  const { log, store: left } = opened(copy);
  expect([...(await left.records([orderId('two')])).keys()]).toEqual(['two']);
  expect(log.lines).toMatchObject([{ event: 'store-damaged', fields: { table: 'Totals' } }]);
});

test('a totals file that is behind, as after a power cut, proves nothing', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  const before = killed(path);
  await accepted(store, 'two');
  const copy = killed(path);
  copyFileSync(`${before}-totals`, `${copy}-totals`);
  expect(opened(copy).log.lines).toEqual([]);
});

test('a totals file with one or two damaged slots is reported', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  const copy = killed(path);
  writeFileSync(`${copy}-totals`, Buffer.alloc(8_192, 7));
  const { log } = opened(copy);
  expect(log.lines).toMatchObject([
    { fields: { reason: expect.stringMatching(/file is damaged/) } },
  ]);
});

test('a changed column of an order is an error for the reader, is reported once with its row, and hides no other order', async () => {
  const path = somewhere();
  const first = opened(path);
  await accepted(first.store, 'one', 'two');
  first.store.close();
  edited(path, `UPDATE Processes SET SubmittedAt = SubmittedAt + 1 WHERE OrderID = 'one'`);
  edited(path, `UPDATE Orders SET Digest = 'x' WHERE OrderID = 'two'`);
  const { store, log } = opened(path);
  for (const id of ['one', 'one', 'two']) {
    await expect(store.records([orderId(id)])).rejects.toThrow(
      /Row (one|two) of table .*reeve check/,
    );
  }
  expect(log.lines.map(({ fields }) => [fields['table'], fields['row']])).toEqual([
    ['Processes', 'one'],
    ['Orders', 'two'],
  ]);
  expect(store.damaged()).toBe(2);
});

test('a corrupt change stops neither the start nor other changes, and is named', async () => {
  const path = somewhere();
  const first = opened(path);
  await accepted(first.store, 'one', 'two', 'three');
  first.store.close();
  edited(path, `UPDATE Changes SET Change = replace(Change, 'Pending', 'Undone') WHERE Seq = 2`);
  const { store, log } = opened(path);
  const left = undelivered(store).map(({ change }) => change.orderId);
  expect(left).toEqual(['one', 'three']);
  expect(log.lines).toMatchObject([
    { event: 'store-damaged', fields: { file: path, table: 'Changes', row: 2 } },
  ]);
});

test('a corrupt order is not deleted, and other ended orders are', async () => {
  const path = somewhere();
  const first = opened(path);
  for (const id of ['one', 'two', 'three']) {
    const { order, record } = newOrder(id, now);
    await first.store.create(order, record);
    let current = claimed(record, now);
    await first.store.commit(current);
    for (const step of ['east', 'west', 'roof']) {
      current = succeeded(current, step, now + 1);
      await first.store.commit(current);
    }
  }
  first.store.close();
  edited(path, `UPDATE Processes SET UpdatedAt = 4611686018427387904 WHERE OrderID = 'one'`);
  edited(path, `UPDATE Processes SET Workflow = 'hose' WHERE OrderID = 'two'`);
  const { store, log } = opened(path);
  expect((await store.deleteEnded(now + 1_000, now + 1_000)).deleted).toBe(1);
  expect(store.damaged()).toBe(2);
  expect([...(await store.records([orderId('three')])).keys()]).toEqual([]);
  expect(log.lines).toHaveLength(2);
});

test.each([
  [
    'a row that is gone',
    `DELETE FROM Processes WHERE OrderID = 'two'`,
    /3 orders must be there, and 2 are/,
  ],
  [
    'an order without details',
    `DELETE FROM Orders WHERE OrderID = 'two'`,
    /no row in table Orders/,
  ],
])('the background check finds %s', async (_, sql, reason) => {
  const path = somewhere();
  const first = opened(path);
  await accepted(first.store, 'one', 'two', 'three');
  first.store.close();
  edited(path, sql);
  const { store, log } = opened(path);
  const verification = store.verify();
  while (verification.next(1));
  expect(log.lines.map(({ fields }) => fields['reason'])).toEqual([expect.stringMatching(reason)]);
});

test('the background check finds nothing in sound data while orders are processed', async () => {
  const { store, log } = opened(somewhere());
  await accepted(store, ...Array.from({ length: 30 }, (_, at) => `order-${at}`));
  const verification = store.verify();
  for (let at = 0; verification.next(4); at += 1) await accepted(store, `later-${at}`);
  expect([verification.checked(), log.lines]).toEqual([30, []]);
});

test('a database of a release without checksums gets them', async () => {
  const path = somewhere();
  const first = opened(path);
  await accepted(first.store, 'one', 'two');
  first.store.close();
  rmSync(`${path}-totals`);
  for (const table of ['Orders', 'Processes', 'Changes']) {
    edited(path, `ALTER TABLE ${table} DROP COLUMN Checksum`);
  }
  edited(path, 'DROP TABLE Totals');
  const { store, log } = opened(path);
  const verification = store.verify();
  while (verification.next(10));
  expect([verification.checked(), log.lines]).toEqual([2, []]);
  store.close();
  edited(path, `UPDATE Processes SET Tenant = 'x' WHERE OrderID = 'two'`);
  const again = opened(path);
  const second = again.store.verify();
  while (second.next(10));
  expect(again.store.damaged()).toBe(1);
});

test('an acknowledged write is synced, and the lock is exclusive', () => {
  const { database, file } = openDatabase(somewhere(), damageReport('x', testLog()));
  onTestFinished(() => {
    file?.close();
    database.close();
  });
  const value = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
  // 2 is FULL.
  expect([value('synchronous'), value('journal_mode'), value('locking_mode')]).toEqual([
    [2],
    ['wal'],
    ['exclusive'],
  ]);
});

test('an order that ended just now is kept, however long ago it was submitted', async () => {
  const { store } = opened(somewhere());
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const late = now + 100 * 24 * 3_600_000;
  let current = claimed(record, late);
  await store.commit(current);
  for (const step of ['east', 'west', 'roof']) {
    current = succeeded(current, step, late + 1);
    await store.commit(current);
  }
  expect(current.processState).toBe('Processed');
  expect((await store.deleteEnded(late, late)).deleted).toBe(0);
  expect((await store.deleteEnded(late + 2, late + 2)).deleted).toBe(1);
});

test('an order that was cached while it was live is read as it ended, from either generation of the cache', async () => {
  const store = sqliteStore({
    path: ':memory:',
    sweepPeriodMs: 1_000,
    log: testLog(),
    cached: { orders: 20, characters: 1_000_000 },
  });
  onTestFinished(() => store.close());
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  // The tenth after it begins a new generation.
  await accepted(store, ...Array.from({ length: 10 }, (_, at) => `other-${at}`));
  let current = claimed(record, now);
  const read = async () => (await store.records([record.orderId])).get(record.orderId);
  await store.commit(current);
  expect(await read()).toEqual(current);
  for (const step of ['east', 'west', 'roof']) {
    current = succeeded(current, step, now + 1);
    await store.commit(current);
    expect(await read()).toEqual(current);
  }
});

test('a database on disk has a totals file, and one in memory has none', () => {
  const path = somewhere();
  opened(path);
  opened(':memory:');
  expect([existsSync(`${path}-totals`), existsSync(':memory:-totals')]).toEqual([true, false]);
});
