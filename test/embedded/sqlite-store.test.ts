import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { checksumOf } from '#embedded/integrity/checksums.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import type { StoredChange } from '#ports/outbox.ts';
import { type EditableStore, editedStoreContract } from '../contracts/edited-store.ts';
import { linesContract } from '../contracts/lines.ts';
import { stateStoreContract } from '../contracts/state-store.ts';
import { stateStoreModel } from '../contracts/state-store-model.ts';
import { storeRace } from '../contracts/store-race.ts';
import { storedFormatsContract } from '../contracts/stored-formats.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { undelivered } from '../support/undelivered.ts';

const now = Date.UTC(2026, 0, 1);

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'reeve-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const opened = (path: string, log = testLog()): SqliteStore =>
  sqliteStore({ path, sweepPeriodMs: 1_000, log });

/** The state of a crash: a copy of the files at that moment. */
function crashed(path: string): string {
  const copy = join(directory(), 'reeve.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  return copy;
}

/** An edit with a database tool while Reeve is stopped. */
function edit(path: string, orderId: OrderId, changes: Readonly<Record<string, string>>): void {
  const database = new DatabaseSync(path);
  for (const [column, value] of Object.entries(changes)) {
    database.prepare(`UPDATE Processes SET ${column} = ? WHERE OrderID = ?`).run(value, orderId);
  }
  database.close();
}

const plainRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

/** A record of another release: attributes without a column are in `Extension`. */
function rewrite(path: string, orderId: OrderId, attributes: z.infer<typeof plainRow>): void {
  const database = new DatabaseSync(path);
  const before = plainRow.parse(
    database.prepare('SELECT * FROM Processes WHERE OrderID = ?').get(orderId),
  );
  const isColumn = ([name]: readonly [string, unknown]) => Object.hasOwn(before, name);
  const all = Object.entries(attributes);
  const others = all.filter((entry) => !isColumn(entry));
  const columns = {
    ...Object.fromEntries(all.filter(isColumn)),
    Extension: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
  };
  const Checksum = checksumOf('Processes', { ...before, ...columns });
  for (const [column, value] of Object.entries({ ...columns, Checksum })) {
    database.prepare(`UPDATE Processes SET ${column} = ? WHERE OrderID = ?`).run(value, orderId);
  }
  database.close();
}

async function underTest(path = join(directory(), 'reeve.db')): Promise<EditableStore> {
  const log = testLog();
  const store = opened(path, log);
  return {
    store,
    log,
    close: async () => store.close(),
    async edited(orderId, changes) {
      const copy = crashed(path);
      store.close();
      edit(copy, orderId, changes);
      return underTest(copy);
    },
    async rewritten(orderId, attributes) {
      const copy = crashed(path);
      store.close();
      rewrite(copy, orderId, attributes);
      return underTest(copy);
    },
    async attributes(orderId) {
      const database = new DatabaseSync(crashed(path));
      const row = database.prepare('SELECT * FROM Processes WHERE OrderID = ?').get(orderId);
      database.close();
      const { Extension = null, ...columns } = plainRow.parse(row);
      return { ...columns, ...plainRow.parse(JSON.parse(String(Extension ?? '{}'))) };
    },
    async reopen() {
      const copy = crashed(path);
      store.close();
      return underTest(copy);
    },
  };
}

stateStoreContract('SQLite', underTest);
editedStoreContract('SQLite', underTest);
storedFormatsContract('SQLite', underTest);
linesContract('SQLite', underTest, 30);
storeRace('SQLite', underTest);
stateStoreModel('SQLite', underTest, Number(process.env['REEVE_STORE_RUNS'] ?? 150));

test('a second process is refused with a message that says what to do', () => {
  const path = join(directory(), 'reeve.db');
  const store = opened(path);
  onTestFinished(() => store.close());
  expect(() => opened(path)).toThrow(/REEVE_DATA/);
});

test('a file that is not a database is refused', () => {
  expect(() => opened(import.meta.filename)).toThrow(
    /SQLite cannot read the state store .*not a database/,
  );
});

test('writes that are ready together share one commit', async () => {
  const path = join(directory(), 'reeve.db');
  const store = opened(path);
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      const { order, record } = newOrder(`order-${at}`, now);
      return store.create(order, record);
    }),
  );
  store.close();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  // The first is the start's own.
  expect(database.prepare('SELECT Commits FROM Totals').get()).toEqual({ Commits: 2 });
});

test('when a commit fails, all of its writes fail and none is remembered', async () => {
  const store = opened(':memory:');
  onTestFinished(() => store.close());
  const { order, record } = newOrder('one', now);
  await store.create(order, record);

  const run = StatementSync.prototype.run;
  const failing = vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...values
  ) {
    if (this.sourceSQL === 'COMMIT') throw Object.assign(new Error('no disk'), { errcode: 10 });
    return run.apply(this, values);
  });
  onTestFinished(() => failing.mockRestore());
  const other = newOrder('two', now);
  const claim = claimed(record, now);
  const outcomes = await Promise.allSettled([
    store.commit(claim),
    store.create(other.order, other.record),
  ]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
  }
  failing.mockRestore();

  const both = await store.records([record.orderId, other.record.orderId]);
  expect([...both.values()]).toEqual([record]);
  expect(await store.commit(claim)).toBe('committed');
});

test('undelivered changes survive a crash, in order, until they are delivered', async () => {
  const path = join(directory(), 'reeve.db');
  const store = opened(path);
  onTestFinished(() => store.close());
  const delivered: StoredChange[] = [];
  store.watchChanges((change) => delivered.push(change));
  const { order, record } = newOrder('one', now, 'shop');
  await store.create(order, record);
  let current: ProcessRecord = claimed(record, now);
  await store.commit(current);
  for (const step of ['east', 'west', 'roof']) {
    current = succeeded(current, step, now + 1);
    await store.commit(current);
  }
  expect(delivered.map(({ change }) => [change.sequence, change.processState])).toEqual([
    [1, 'Pending'],
    [2, 'Processing'],
    [5, 'Processed'],
  ]);
  const [first] = delivered;
  if (first !== undefined) await store.deleteChange(first.seq);

  const again = opened(crashed(path));
  onTestFinished(() => again.close());
  expect(undelivered(again)).toEqual(delivered.slice(1));
});

test('a change without an audience is not stored', async () => {
  const store = opened(':memory:');
  onTestFinished(() => store.close());
  const delivered: StoredChange[] = [];
  store.watchChanges((change) => delivered.push(change));
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  expect(delivered).toEqual([]);
});

test('a listener gets every committed record until it unsubscribes', async () => {
  const store = opened(':memory:');
  onTestFinished(() => store.close());
  const seen: number[] = [];
  const stop = store.watchRecords(({ revision }) => seen.push(revision));
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const claim = claimed(record, now);
  await store.commit(claim);
  stop();
  await store.commit(succeeded(claim, 'east', now));
  expect(seen).toEqual([1, 2]);
});

test('live orders that do not fit in memory are read from disk', async () => {
  const store = sqliteStore({
    path: ':memory:',
    sweepPeriodMs: 1_000,
    cached: { orders: 4, characters: 1_000_000 },
    log: testLog(),
  });
  onTestFinished(() => store.close());
  const records = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { order, record } = newOrder(`order-${at}`, now);
      await store.create(order, record);
      return record;
    }),
  );
  const found = await store.records(records.map((record) => record.orderId));
  expect([...found.values()]).toEqual(records);
});

test('a database of a release without correlation ids is opened, and its data are kept', async () => {
  const path = join(directory(), 'reeve.db');
  const { order, record } = newOrder('one', now);
  const older = opened(path);
  await older.create(order, record);
  older.close();
  const database = new DatabaseSync(path);
  database.exec('DROP INDEX Correlation; ALTER TABLE Processes DROP COLUMN CorrelationID');
  database.close();

  for (const id of ['two', 'three']) {
    const store = opened(path);
    const named = newOrder(id, now, null, 'po-7');
    await store.create(named.order, named.record);
    const records = await store.records([record.orderId, named.record.orderId]);
    expect([...records.values()]).toEqual([record, named.record]);
    store.close();
  }
});

test('changes of a release without audiences are delivered to every audience that they concern', async () => {
  const path = join(directory(), 'reeve.db');
  const older = opened(path);
  for (const [id, replyTo] of [
    ['one', 'shop'],
    ['two', null],
  ] as const) {
    const { order, record } = newOrder(id, now, replyTo);
    await older.create(order, record);
    await older.commit(inError(record));
  }
  older.close();
  const database = new DatabaseSync(path);
  database.exec("DELETE FROM Changes WHERE Audience = 'operator' AND Change LIKE '%\"one\"%'");
  database.exec(
    'ALTER TABLE Changes DROP COLUMN Audience; ALTER TABLE Changes DROP COLUMN Checksum',
  );
  database.close();

  const store = opened(path);
  const left = undelivered(store).map(
    ({ audience, change }) => `${change.orderId} ${change.processState} ${audience}`,
  );
  store.close();
  expect(left.toSorted()).toEqual([
    'one Error operator',
    'one Error submitter',
    'one Pending submitter',
    'two Error operator',
  ]);
});

function inError(record: ProcessRecord): ProcessRecord {
  const running = claimed(record, now);
  const fault = { code: 'x', message: 'No.', effect: 'none', step: null, action: null } as const;
  return { ...running, processState: 'Error', lockedBy: null, fault };
}
