/** Exactly the orders that ended before an instant are deleted, in every layout of the store. */
import { expect, test } from 'vitest';
import { lineName, type OrderId, orderId } from '#core/model/ids.ts';
import type { SqliteStore } from '#embedded/sqlite-store.ts';
import { claimed, newOrder, next } from '../support/orders.ts';
import { accepted, edited, ended, opened, somewhere } from '../support/stored-data.ts';

const before = Date.UTC(2026, 5, 1);
const day = 86_400_000;
const now = before - 1_000;
/** The clock of each pass. */
const present = before + 30 * day;

async function left(store: SqliteStore, ...ids: readonly string[]) {
  return [...(await store.records(ids.map(orderId))).keys()];
}

/** An accepted order is cancelled before any of its steps began. */
async function undo(store: SqliteStore, id: string): Promise<void> {
  const record = (await store.records([orderId(id)])).get(orderId(id));
  if (record === undefined) throw new RangeError(id);
  const asked = next(record, { type: 'cancel', by: 'ada' }, before - 9 * day);
  const undone = claimed(asked, before - 8 * day);
  expect(undone.processState).toBe('Undone');
  for (const each of [asked, undone]) await store.commit(each);
}

test.each([
  ['submitted and ended long before', -9 * day, -8 * day, []],
  ['that ended in the last millisecond before', -9 * day, -2, []],
  ['that ended at that instant', -9 * day, -1, ['one']],
  ['that ended after', -9 * day, 0, ['one']],
])('an order %s', async (_, submitted, end, kept) => {
  const { store } = opened(':memory:');
  await ended(store, 'one', before + submitted, before + end);
  expect((await store.deleteEnded(before, present)).deleted).toBe(1 - kept.length);
  expect(await left(store, 'one')).toEqual(kept);
});

test('an order that was undone is deleted, and live orders are not', async () => {
  const { store } = opened(':memory:');
  await accepted(store, 'undone');
  await undo(store, 'undone');
  // Accepted in January.
  await accepted(store, 'live');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(await left(store, 'undone', 'live')).toEqual(['live']);
  // A later check does not count it as missing.
  const going = store.verify();
  while (going.next(10));
  expect([going.checked(), store.damaged()]).toEqual([1, 0]);
});

test('deletion continues after two batches of orders that are kept, and then begins at the first again', async () => {
  const { store } = opened(':memory:');
  await accepted(store, ...Array.from({ length: 1_000 }, (_, at) => `live-${at}`));
  await ended(store, 'behind', before - 9 * day);
  const forgotten: number[] = [];
  for (let look = 0; look < 3; look += 1)
    forgotten.push((await store.deleteEnded(before, present)).deleted);
  expect([forgotten, await left(store, 'behind')]).toEqual([[0, 0, 1], []]);
  // The end was reached: the next look is at the oldest, which may have ended meanwhile.
  await undo(store, 'live-0');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(await left(store, 'live-0', 'live-1')).toEqual(['live-1']);
});

test('a pass ends where most orders are too young, and the next pass begins at the oldest', async () => {
  const { store } = opened(':memory:');
  await accepted(store, ...Array.from({ length: 249 }, (_, at) => `live-${at}`));
  for (let at = 0; at < 251; at += 1) await ended(store, `young-${at}`, before);
  await ended(store, 'behind', before - 9 * day);
  expect(await store.deleteEnded(before, present)).toEqual({ deleted: 0, hasMore: false });
  await undo(store, 'live-0');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
});

/** Calls until a pass is over. */
async function pass(store: SqliteStore, at: number = present) {
  let deleted = 0;
  for (let calls = 1; ; calls += 1) {
    const done = await store.deleteEnded(before, at);
    deleted += done.deleted;
    if (!done.hasMore) return { deleted, calls };
  }
}

test('orders of a clock that was ahead for a while keep no other from being deleted', async () => {
  const { store } = opened(':memory:');
  for (let at = 0; at < 520; at += 1) await ended(store, `ahead-${at}`, present + 365 * day);
  for (let at = 0; at < 600; at += 1) await ended(store, `old-${at}`, before - 9 * day);
  for (let at = 0; at < 10; at += 1) await ended(store, `young-${at}`, before);
  expect(await pass(store)).toEqual({ deleted: 600, calls: 3 });
  expect(await left(store, 'ahead-0', 'ahead-519', 'young-0', 'old-0')).toEqual([
    'ahead-0',
    'ahead-519',
    'young-0',
  ]);
  // They are deleted when their own time has come.
  expect((await store.deleteEnded(present + 366 * day, present + 400 * day)).deleted).toBe(500);
});

test.each([
  ['that were submitted by a clock that was ahead', present + day],
  ['that look too young', before],
])('single orders %s end no pass', async (_, at) => {
  const { store } = opened(':memory:');
  for (let order = 0; order < 1_200; order += 1) {
    await ended(store, `order-${order}`, order % 5 === 0 ? at : before - 9 * day);
  }
  expect(await pass(store)).toEqual({ deleted: 960, calls: 3 });
});

test('single orders that look old lead no pass through those that are young', async () => {
  const { store } = opened(':memory:');
  for (let order = 0; order < 1_200; order += 1) {
    if (order % 5 === 0) await accepted(store, `live-${order}`);
    else await ended(store, `young-${order}`, before);
  }
  expect(await pass(store)).toEqual({ deleted: 0, calls: 1 });
});

test('a deleted order leaves nothing: its id is free for another', async () => {
  const { store } = opened(':memory:');
  await ended(store, 'one', before - 9 * day);
  await store.deleteEnded(before, present);
  expect(await store.orders([orderId('one')])).toEqual(new Map());
  const { order, record } = newOrder('one', before);
  expect(await store.create(order, record)).toBe('created');
  expect(await left(store, 'one')).toEqual(['one']);
});

test('damaged orders are kept, and named with their rows', async () => {
  const path = somewhere();
  const first = opened(path).store;
  for (const id of ['one', 'two', 'three']) await ended(first, id, before - 9 * day);
  first.close();
  edited(path, "UPDATE Processes SET UpdatedAt = 4611686018427387904 WHERE OrderID = 'one'");
  edited(path, "UPDATE Processes SET Workflow = 'hose' WHERE OrderID = 'two'");
  const { store, log } = opened(path);
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(log.lines.map(({ fields: { table, row } }) => [table, row])).toEqual([
    ['Processes', 1],
    ['Processes', 2],
  ]);
});

test.each([
  ['behind where it is', [1, 2], 6],
  ['before where it is', [4, 5, 6, 7], 3],
  ['on both sides', [2, 3, 4], 6 - 1],
])(
  'orders that are deleted during a check do not count as missing: %s',
  async (_, old, checked) => {
    const { store, log } = opened(somewhere());
    for (let at = 1; at <= 6; at += 1) {
      await ended(store, `order-${at}`, old.includes(at) ? now : before);
    }
    const going = store.verify();
    expect(going.next(3)).toBe(true);
    // Accepted since it began: neither checked nor missing.
    await ended(store, 'order-7', old.includes(7) ? now : before);
    expect((await store.deleteEnded(before, present)).deleted).toBe(old.length);
    while (going.next(3));
    expect([going.checked(), log.lines]).toEqual([checked, []]);
    // Deleted after the count was complete.
    await store.deleteEnded(before + 1_000, present);
    expect([going.next(3), log.lines]).toEqual([false, []]);
  },
);

test('orders that were deleted meanwhile count as found where others are missing', async () => {
  const path = somewhere();
  const first = opened(path).store;
  for (const id of ['a', 'b', 'c', 'd', 'e']) await ended(first, id);
  first.close();
  edited(path, "DELETE FROM Processes WHERE OrderID = 'b'");
  const { store, log } = opened(path);
  const going = store.verify();
  going.next(2);
  await store.deleteEnded(before, present);
  going.next(2);
  expect(log.lines.map(({ fields }) => fields['reason'])).toEqual([
    '5 orders must be there, and 4 are.',
  ]);
});

const name = lineName('a'.repeat(40));

async function joined(store: SqliteStore, id: string, line: readonly OrderId[]): Promise<OrderId> {
  const { order, record } = newOrder(id, before - 9 * day);
  const change = { name, before: line, after: [...line, order.orderId] };
  await store.create(order, { ...record, turn: { line: name } }, change);
  return order.orderId;
}

test('an order that is still in its line, because its end was not followed, leaves it when it is deleted', async () => {
  const { store } = opened(':memory:');
  const one = await joined(store, 'one', []);
  const two = await joined(store, 'two', [one]);
  await undo(store, 'one');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(await store.line(name)).toEqual([two]);
  await undo(store, 'two');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(await store.line(name)).toEqual([]);
});

test('an order leaves its line from any place of it', async () => {
  const { store } = opened(':memory:');
  const line: OrderId[] = [];
  for (const id of ['one', 'two', 'three']) line.push(await joined(store, id, line));
  await undo(store, 'two');
  expect((await store.deleteEnded(before, present)).deleted).toBe(1);
  expect(await store.line(name)).toEqual(line.filter((id) => id !== 'two'));
});

test('a damaged line is reported, and keeps no order from being deleted', async () => {
  const path = somewhere();
  const first = opened(path).store;
  await joined(first, 'one', []);
  await undo(first, 'one');
  await ended(first, 'other', before - 9 * day);
  first.close();
  edited(path, "UPDATE Lines SET OrderIDs = 'two'");
  const { store, log } = opened(path);
  expect((await store.deleteEnded(before, present)).deleted).toBe(2);
  expect(log.lines).toMatchObject([
    { event: 'store-damaged', fields: { table: 'Lines', row: name } },
  ]);
  await expect(store.line(name)).rejects.toMatchObject({ code: 'row-damaged' });
});
