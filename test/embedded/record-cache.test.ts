/** The cache of live orders: which reads reach the tables. */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { recordCache } from '#embedded/record-cache.ts';
import { statements } from '#embedded/statements.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { edited, opened, somewhere, stored } from '../support/stored-data.ts';

const ids = (count: number) => Array.from({ length: count }, (_, at) => `order-${at}`);

function cached(path: string, orders: number, characters = 1_000_000) {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const sql = statements(database);
  const log = testLog();
  const cache = recordCache(sql, damageReport(path, log), { orders, characters });
  const read = vi.spyOn(sql.record, 'get');
  return {
    cache,
    log,
    /** The orders in memory; this reads none. */
    inMemory(...asked: readonly string[]): string[] {
      const { get } = cache;
      return asked.filter((id) => {
        read.mockImplementationOnce(() => {
          throw new RangeError('read');
        });
        try {
          return get(orderId(id)) !== undefined;
        } catch {
          return false;
        } finally {
          read.mockReset();
        }
      });
    },
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
  const { Steps, History } = encodeRecord(record);
  const entry = {
    ...{ order, record, seq: 2, due: Date.UTC(2026, 0, 1, 0, 0, 10) },
    detailsLength: JSON.stringify(order.details).length,
    recordLength: Steps.length + History.length,
  };
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

/** Characters of the texts of an order with this note. */
async function sizes(path: string, notes: readonly number[]): Promise<ReadonlyMap<string, number>> {
  const { store } = opened(path);
  const made = new Map<string, number>();
  const created = notes.map(async (note, at) => {
    const { order, record } = newOrder(`order-${at}`, 0);
    const details = { colour: 'blue', note: 'x'.repeat(note) };
    await store.create({ ...order, details }, record);
    const { Steps, History } = encodeRecord(record);
    made.set(order.orderId, JSON.stringify(details).length + Steps.length + History.length);
  });
  await Promise.all(created);
  store.close();
  return made;
}

const endOf = (record: ProcessRecord): ProcessRecord => ({
  ...record,
  ...{ processState: 'Processed', lockedBy: null, completeBy: null, fault: null },
});

const characters = 100_000;
const notes = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 30 });
const asks = fc.array(fc.record({ at: fc.nat(29), ends: fc.boolean() }), { maxLength: 80 });

test('the texts of the orders in memory are bounded in every sequence of reads, writes and ends', async () => {
  await fc.assert(
    fc.asyncProperty(notes, asks, async (of, asked) => {
      const path = somewhere();
      const made = await sizes(path, of);
      const { cache, inMemory } = cached(path, 1_000, characters);
      for (const { at, ends } of asked) {
        const entry = cache.get(orderId(`order-${at % of.length}`));
        if (entry === undefined) throw new RangeError('none');
        const { record } = entry;
        cache.keep(ends ? { ...entry, record: endOf(record) } : entry);
      }
      const kept = inMemory(...made.keys());
      const total = kept.reduce((sum, id) => sum + (made.get(id) ?? 0), 0);
      // The order with which a generation becomes full may exceed it.
      expect(total).toBeLessThanOrEqual(characters + 2 * Math.max(...made.values()));
      const wanted = asked.at(-1);
      if (wanted !== undefined && !wanted.ends)
        expect(kept).toContain(`order-${wanted.at % of.length}`);
    }),
    { numRuns: 60 },
  );
});

test('of large orders, fewer than allowed are in memory: the latest ones', async () => {
  const path = somewhere();
  const made = await sizes(
    path,
    Array.from({ length: 30 }, () => 20_000),
  );
  const { cache, inMemory } = cached(path, 1_000, characters);
  for (const id of made.keys()) cache.get(orderId(id));
  // Three fill a generation.
  const kept = inMemory(...made.keys());
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.length).toBeLessThanOrEqual(6);
  expect(kept).toEqual([...made.keys()].slice(-kept.length));
});

test('an order that is written often, and those that end, push out no other', async () => {
  const path = somewhere();
  const made = await sizes(path, [10_000, 10_000, 10_000, 10_000]);
  const { cache, inMemory } = cached(path, 1_000, characters);
  const [first, second, ...others] = [...made.keys()].map((id) => cache.get(orderId(id)));
  if (first === undefined || second === undefined) throw new RangeError('none');
  for (let writes = 0; writes < 50; writes += 1) {
    cache.keep(first);
    cache.keep(second);
    cache.keep({ ...second, record: endOf(second.record) });
  }
  expect(inMemory('order-0', 'order-1')).toEqual(['order-0']);
  expect(inMemory('order-2', 'order-3')).toHaveLength(others.length);
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
