/** The cache of live orders: which reads reach the tables. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { recordCache } from '#embedded/record-cache.ts';
import { statements } from '#embedded/statements.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { edited, stored } from '../support/stored-data.ts';

const ids = (count: number) => Array.from({ length: count }, (_, at) => `order-${at}`);

function cached(path: string, max: number) {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const sql = statements(database);
  const log = testLog();
  const cache = recordCache(sql, damageReport(path, log), max);
  const read = vi.spyOn(sql.record, 'get');
  return {
    cache,
    log,
    /** The orders that were read from the tables. */
    readOf(...asked: readonly string[]): string[] {
      return asked.filter((id) => {
        read.mockClear();
        expect(cache.get(orderId(id))?.record.orderId).toBe(id);
        return read.mock.calls.length > 0;
      });
    },
  };
}

test('an order is read from the tables only once', async () => {
  const { readOf } = cached(await stored('one', 'two'), 10);
  expect(readOf('one', 'two', 'one', 'two')).toEqual(['one', 'two']);
});

test('an entry is the order, its record and the number of its row', async () => {
  const { cache } = cached(await stored('one', 'two'), 10);
  const { order, record } = newOrder('two', Date.UTC(2026, 0, 1), 'shop', 'cart-two');
  const entry = { order, record, seq: 2, due: Date.UTC(2026, 0, 1, 0, 0, 10) };
  expect([cache.get(order.orderId), cache.get(order.orderId)]).toEqual([entry, entry]);
  expect(cache.get(orderId('three'))).toBe(undefined);
});

test('the latest orders are in memory, and no more than allowed', async () => {
  const all = ids(60);
  const { readOf } = cached(await stored(...all), 20);
  expect(readOf(...all)).toEqual(all);
  // A full half and what came after it: at least ten and at most twenty.
  const later = readOf(...all.toReversed());
  expect(later).not.toContain('order-50');
  expect(later.length).toBeGreaterThanOrEqual(40);
});

test('an order that is requested often stays in memory while others are read', async () => {
  const all = ids(10);
  const { cache, readOf } = cached(await stored(...all), 8);
  readOf(...all.slice(0, 4));
  const kept = cache.get(orderId('order-0'));
  if (kept === undefined) throw new RangeError('order-0');
  // The fifth begins a new generation; what is written then is in it.
  readOf('order-4');
  cache.keep(kept);
  expect(readOf('order-5', 'order-6')).toEqual(['order-5', 'order-6']);
  expect(readOf('order-7')).toEqual(['order-7']);
  expect(readOf('order-0')).toEqual([]);
});

test('an evicted order of either generation is read again', async () => {
  const all = ids(6);
  const { cache, readOf } = cached(await stored(...all), 8);
  readOf(...all);
  expect(readOf(...all)).toEqual([]);
  cache.clear();
  expect(readOf(...all)).toEqual(all);
});

test.each([
  ['without its details', "DELETE FROM Orders WHERE OrderID = 'one'", 'Orders'],
  ['without its record', "DELETE FROM Processes WHERE OrderID = 'one'", 'Processes'],
])('an order %s is damaged', async (_, sql, table) => {
  const path = await stored('one', 'two');
  edited(path, sql);
  const { cache, log } = cached(path, 10);
  const read = () => cache.get(orderId('one'));
  expect(read).toThrow(
    expect.objectContaining({ message: expect.stringContaining(`Row one of table ${table} `) }),
  );
  expect(read).toThrow();
  expect(log.lines).toMatchObject([{ fields: { table, row: 'one' } }]);
});
