/** Which orders are one item of DynamoDB: a rule on their sizes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item } from '#aws/store/attributes.ts';
import { isOneItem, itemBytes, writeUnits } from '#aws/store/one-item.ts';

/** An item of so many bytes. */
const itemOf = (bytes: number): Item => ({ A: { S: 'x'.repeat(Math.max(0, bytes - 1)) } });
const forms = (recordBytes: number, documentBytes: number, steps: number) => ({
  record: itemOf(recordBytes),
  whole: itemOf(recordBytes + documentBytes),
  steps,
});

const recordBytes = fc.integer({ min: 300, max: 4_000 });
const documentBytes = fc.integer({ min: 40, max: 3_000 });
const steps = fc.integer({ min: 1, max: 64 });

test('an item has the bytes of its names and values', () => {
  expect(itemBytes({ OrderID: { S: 'grün' }, Revision: { N: '123' }, Fault: { NULL: true } })).toBe(
    7 + 5 + 8 + 3 + 5 + 1,
  );
  expect([1, 1_024, 1_025].map(writeUnits)).toEqual([1, 1, 2]);
});

test('an order that fits one write unit to its end is one item, and one with large details is two', () => {
  expect(isOneItem(forms(500, 150, 3))).toBe(true);
  expect(isOneItem(forms(500, 2_000, 3))).toBe(false);
  expect(isOneItem(forms(300, 1_024, 1))).toBe(true);
  expect(isOneItem(forms(300, 1_025, 1))).toBe(false);
});

test('an order whose details would cost a unit more for each of many writes is two items', () => {
  expect(isOneItem(forms(900, 1_000, 1))).toBe(true);
  expect(isOneItem(forms(900, 1_000, 8))).toBe(false);
});

test('a write of an order of one item costs at most one unit more, however the order ends', () => {
  fc.assert(
    fc.property(recordBytes, documentBytes, steps, fc.nat({ max: 390_000 }), (...of) => {
      const [record, document, count, growth] = of;
      fc.pre(isOneItem(forms(record, document, count)));
      const more = writeUnits(record + document + growth) - writeUnits(record + growth);
      expect(more).toBeLessThanOrEqual(1);
    }),
  );
});

test('an order with smaller details is one item if one with larger details is', () => {
  fc.assert(
    fc.property(recordBytes, documentBytes, fc.nat({ max: 1_000 }), steps, (...of) => {
      const [record, document, less, count] = of;
      fc.pre(isOneItem(forms(record, document, count)));
      expect(isOneItem(forms(record, Math.max(1, document - less), count))).toBe(true);
    }),
  );
});
