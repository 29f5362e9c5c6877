/** The life of the embedded store: acknowledged writes are durable, and listeners see each commit. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueAt } from '#core/decide/due.ts';
import { orderId, schedulerId, writeId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { readTotalsFile } from '#embedded/integrity/totals-file.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import {
  accepted,
  edited,
  ended,
  opened,
  pageLost,
  rootOf,
  somewhere,
  stored,
} from '../support/stored-data.ts';
import { undelivered } from '../support/undelivered.ts';

const now = Date.UTC(2026, 0, 1);
const all = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 5, cursor: null };

test('requests made before the close are performed and answered', async () => {
  const path = somewhere();
  const { store } = opened(path);
  const { order, record } = newOrder('one', now);
  const created = store.create(order, record);
  store.close();
  expect(await created).toBe('created');
  const again = opened(path).store;
  expect((await again.records([order.orderId])).get(order.orderId)).toEqual(record);
});

const common = newOrder('one', now).record;
const notStarted = { state: 'NotStarted' } as const;
const held = {
  state: 'Held',
  gate: 'circuit',
  until: now + 9,
  since: now,
  before: notStarted,
} as const;
test.each<[string, Partial<typeof common>]>([
  ['no attribute that is optional', {}],
  ['a deadline', { deadline: { lateAt: now + 1, onLate: 'hold' } }],
  ['a deadline after which it is undone', { deadline: { lateAt: now + 1, onLate: 'undo' } }],
  [
    'a held step',
    { steps: common.steps.map((step) => ({ ...step, progress: held })), isHeld: true },
  ],
  ['attributes of a newer release', { unknown: { Colour: 'blue', LateBy: null } }],
  [
    'a deadline and such attributes',
    { deadline: { lateAt: 1, onLate: 'hold' }, unknown: { A: 1 } },
  ],
])('a record with %s is the same in the next process', async (_, more) => {
  const path = somewhere();
  const first = opened(path).store;
  const { order } = newOrder('one', now);
  const before = { ...common, ...more };
  await first.create(order, before);
  const after = { ...before, revision: 2, writeId: writeId('second') };
  const read = async (store: SqliteStore) =>
    (await store.records([order.orderId])).get(order.orderId);
  first.close();
  const second = opened(path).store;
  expect(await read(second)).toEqual(before);
  await second.commit(after);
  second.close();
  expect(await read(opened(path).store)).toEqual(after);
});

const fault = { code: 'x', message: 'y', effect: 'none', step: null, action: null } as const;
test.each<[string, (before: ProcessRecord) => ProcessRecord]>([
  ['its history', (before) => before],
  [
    'the lock',
    (before) =>
      before.processState === 'Processing' ? { ...before, lockedBy: schedulerId('other') } : before,
  ],
  ['the number of failures', (before) => ({ ...before, failureCount: 1 })],
  ['the direction', (before) => ({ ...before, direction: 'undo' })],
  ['the priority', (before) => ({ ...before, priority: 'high' })],
  ['the earliest claim', (before) => ({ ...before, notBefore: now - 5 })],
  ['the fault', (before) => ({ ...before, fault })],
  ['a deadline', (before) => ({ ...before, deadline: { lateAt: now + 1, onLate: 'hold' } })],
  ['the end of a deadline', ({ deadline: _, ...before }) => before],
  ['an attribute of a newer release', (before) => ({ ...before, unknown: { Colour: 'blue' } })],
])('a revision of which only %s is new is the same in the next process', async (_, changed) => {
  const path = somewhere();
  const first = opened(path).store;
  const { order, record } = newOrder('one', now);
  const deadline = { lateAt: now + 60_000, onLate: 'undo' } as const;
  const ids = [orderId('without'), orderId('with-a-deadline')];
  for (const [at, id] of ids.entries()) {
    const submitted = { ...record, orderId: id, ...(at === 1 && { deadline }) };
    await first.create({ ...order, orderId: id }, submitted);
    // It is due when it was before, so that no write for the due index hides what the others leave out.
    const before = claimed(submitted, now);
    const history = [...before.history, ...before.history];
    const next = changed({ ...before, history, revision: 3, writeId: writeId('third') });
    expect([await first.commit(before), await first.commit(next)]).toEqual([
      'committed',
      'committed',
    ]);
  }
  const written = await first.records(ids);
  first.close();
  expect(await opened(path).store.records(ids)).toEqual(written);
});

test('an order stays readable and due when a process with another sweep period changes it', async () => {
  const periods = fc.constantFrom(1_000, 7_000, 60_000, 300_000, 3_600_000);
  await fc.assert(
    fc.asyncProperty(periods, periods, fc.nat(3_600_000), async (was, is, laterMs) => {
      const path = somewhere();
      const { order, record } = newOrder('one', now);
      const first = opened(path, was).store;
      await first.create(order, record);
      first.close();
      const second = opened(path, is).store;
      const claim = claimed(record, now + laterMs);
      expect(await second.commit(claim)).toBe('committed');
      second.close();
      const third = opened(path, is).store;
      expect([...(await third.records([order.orderId])).values()]).toEqual([claim]);
      const key = Math.ceil((dueAt(claim) ?? 0) / is) * is;
      const due = await third.due({ ...all, from: key, to: key });
      expect(due.items).toEqual([order.orderId]);
      third.close();
    }),
    { numRuns: 60 },
  );
});

test('a listing finds live orders behind any number of ended ones', async () => {
  const { store } = opened(':memory:');
  await accepted(store, 'old');
  for (let at = 0; at < 600; at += 1) await ended(store, `ended-${at}`);
  await accepted(store, 'new');
  const listed = async (limit: number, cursor: string | null) => {
    const page = await store.list({ processState: 'Pending', limit, cursor });
    return { ids: page.items.map((record) => record.orderId), cursor: page.cursor };
  };
  expect(await listed(5, null)).toEqual({ ids: ['new', 'old'], cursor: null });
  const first = await listed(1, null);
  expect(first.ids).toEqual(['new']);
  expect(await listed(5, first.cursor)).toEqual({ ids: ['old'], cursor: null });
});

test('a closed store refuses requests with an error, and may be closed again', async () => {
  const { store } = opened(await stored('one'));
  store.close();
  store.close();
  const { order, record } = newOrder('two', now);
  await expect(store.create(order, record)).rejects.toMatchObject({ code: 'store-closed' });
  await expect(store.orders([orderId('one')])).rejects.toMatchObject({ code: 'store-closed' });
});

test('each commit is counted in the file beside the database', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  await ended(store, 'three', now - 1_000);
  await store.deleteEnded(now, now);
  // The start, two orders, five writes of the third, and the close of the store.
  const counts = { commits: 9, accepted: 3, revisions: 7, forgotten: 1 };
  expect(readTotalsFile(`${path}-totals`)).toMatchObject({ totals: counts });
});

test('a store in memory has no totals file', async () => {
  const { store, log } = opened(':memory:');
  await accepted(store, 'one', 'two');
  expect(log.lines).toEqual([]);
});

test('a listener gets each record with the one that it replaced, in sequence', async () => {
  const { store } = opened(':memory:');
  const seen: [ProcessRecord, ProcessRecord | null][] = [];
  store.watchRecords((...of) => seen.push(of));
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const claim = claimed(record, now);
  const done = succeeded(claim, 'east', now);
  for (const each of [claim, done]) await store.commit(each);
  // A repeated request after a lost answer is not a new write, and a conflict is no write.
  expect(await store.create(order, record)).toBe('exists');
  expect([await store.commit(done), await store.commit(claim)]).toEqual(['committed', 'conflict']);
  expect(seen).toEqual([
    [record, null],
    [claim, record],
    [done, claim],
  ]);
});

test('an order is due from its instant on', async () => {
  const periods = fc.integer({ min: 1, max: 60_000 });
  await fc.assert(
    fc.asyncProperty(periods, fc.nat({ max: 100_000 }), async (sweepPeriodMs, after) => {
      const store = sqliteStore({ path: ':memory:', sweepPeriodMs, log: testLog() });
      const { order, record } = newOrder('A', now + after);
      await store.create(order, record);
      const due = dueAt(record) ?? 0;
      const firstLook = due + ((sweepPeriodMs - (due % sweepPeriodMs)) % sweepPeriodMs);
      const upTo = async (to: number) =>
        (await store.due({ shard: 0, from: 0, to, limit: 5, cursor: null })).items;
      expect([await upTo(firstLook - 1), await upTo(firstLook)]).toEqual([[], ['A']]);
      // A range includes its first instant.
      const { items } = await store.due({ ...all, from: firstLook });
      expect(items).toEqual(['A']);
      store.close();
    }),
    { numRuns: 20 },
  );
});

test('a delivered change is deleted, and the others are not', async () => {
  const path = await stored('one', 'two', 'three');
  const first = opened(path).store;
  await first.deleteChange(2);
  first.close();
  const left = undelivered(opened(path).store);
  expect(left.map(({ seq, change }) => `${seq} ${change.orderId}`)).toEqual(['1 one', '3 three']);
});

test('a write that was retried without the others of its group is counted once', async () => {
  const path = await stored('one');
  edited(path, "UPDATE Processes SET Tenant = 'x' WHERE OrderID = 'one'");
  const { store } = opened(path);
  const one = newOrder('one', now, 'shop', 'cart-one').record;
  const { order, record } = newOrder('two', now);
  const [created, damaged] = await Promise.allSettled([
    store.create(order, record),
    store.commit(claimed(one, now)),
  ]);
  expect([created.status, damaged.status]).toEqual(['fulfilled', 'rejected']);
  expect(readTotalsFile(`${path}-totals`)).toMatchObject({ totals: { accepted: 2, revisions: 2 } });
});

test('a page that is not full is the last, and a full one may be', async () => {
  const { store } = opened(':memory:');
  await accepted(store, 'one', 'two', 'three');
  const due = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, cursor: null };
  for (const limit of [1, 2, 3, 4]) {
    const pages = [
      await store.list({ processState: null, limit, cursor: null }),
      await store.due({ ...due, limit }),
    ];
    for (const { items, cursor } of pages) {
      expect([items.length, cursor === null]).toEqual([Math.min(limit, 3), limit > 3]);
    }
  }
});

test.each([
  ['Processes', 'UPDATE Processes SET UpdatedAt = 4611686018427387904'],
  ['Orders', 'UPDATE Orders SET SubmittedAt = 4611686018427387904'],
])('the error for an order without a row in table %s names the table', async (table, sql) => {
  const path = await stored('one');
  edited(path, sql);
  const { store, log } = opened(path);
  await expect(store.records([orderId('one')])).rejects.toThrow(`Row one of table ${table} in`);
  expect(log.lines).toMatchObject([{ fields: { table, row: 'one' } }]);
});

test('an order that a listing leaves out is logged with its row', async () => {
  const path = await stored('one', 'two');
  edited(path, "UPDATE Processes SET Tenant = 'x' WHERE OrderID = 'one'");
  const { store, log } = opened(path);
  const { items } = await store.list({ processState: null, limit: 5, cursor: null });
  expect(items.map((record) => record.orderId)).toEqual(['two']);
  expect(log.lines).toMatchObject([
    { event: 'store-damaged', fields: { table: 'Processes', row: 1 } },
    { fields: { orderId: 'one', from: 'list' } },
  ]);
});

test.each<[string, string, string, (store: SqliteStore) => unknown]>([
  ['Changes', 'Changes', 'listing', (store) => store.changes(0, 5)],
  ['Due', 'Processes', 'index Due', (store) => store.due(all)],
  [
    'Processes',
    'Processes',
    'listing',
    (store) => store.list({ processState: null, limit: 5, cursor: null }),
  ],
])(
  'the loss of the first page of %s is an error for the reader, and logged',
  async (name, table, row, ask) => {
    const path = await stored('one');
    const root = rootOf(path, name);
    const { store, log } = opened(path);
    // After the start, which would be refused.
    pageLost(path, root);
    const asked = (async () => ask(store))();
    await expect(asked).rejects.toThrow(`Row ${row} of table ${table} in ${path} is damaged`);
    expect(log.lines).toMatchObject([{ event: 'store-damaged', fields: { table, row } }]);
  },
);
