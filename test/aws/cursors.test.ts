import { expect, test } from 'vitest';
import { dueCursor, listCursor } from '#aws/store/cursors.ts';
import { shardOf } from '#aws/store/tables.ts';
import { limits } from '#core/model/limits.ts';

test('the API accepts the longest cursor', () => {
  const position = { at: Number.MAX_SAFE_INTEGER, from: 'f'.repeat(64) };
  const cursor = listCursor.encode(position);
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(cursor.length).toBeLessThanOrEqual(limits.cursorLengthMax);
  expect(listCursor.decode(cursor)).toEqual(position);
});

test.each([[-1, ''], [1.5, ''], [1, 'x'], [1, 'f'.repeat(65)], ['start', ['end']], [[1, 'one']]])(
  '%j is no position of a listing',
  (...position) => {
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    expect(() => listCursor.decode(cursor)).toThrow(/cursor was not returned/);
  },
);

test('the cursor of a due query decodes to the same key', () => {
  const key = { DueShard: { N: '3' }, DueAt: { N: '1767225600000' }, OrderID: { S: 'one' } };
  expect(dueCursor.decode(dueCursor.encode(key))).toEqual(key);
});

test.each(['', 'nonsense', 'e30', 'WzEsMl0', 'WyJlbmQiLDddCg'])('%j is not a cursor', (cursor) => {
  expect(() => listCursor.decode(cursor)).toThrow(/cursor was not returned/);
  expect(() => dueCursor.decode(cursor)).toThrow(/cursor was not returned/);
});

test.each(['x1', '1x', ''])(
  'a key with the number %j is not a cursor, and the error has the cause',
  (number) => {
    const cursor = Buffer.from(JSON.stringify([number, '2', 'one'])).toString('base64url');
    expect(() => dueCursor.decode(cursor)).toThrow(
      expect.objectContaining({ code: 'cursor-invalid', cause: expect.any(Error) }),
    );
  },
);

test('orders are spread evenly over the shards, always identically', () => {
  const counts = Array.from({ length: 8 }, () => 0);
  for (let at = 0; at < 8_000; at += 1) {
    const shard = shardOf(`01m7xvhwqb${at.toString(36).padStart(16, 'k')}`, counts.length);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  // For all releases: a stored order in another shard would be missing from its index.
  expect(['one', 'two', 'three'].map((id) => shardOf(id, 8))).toEqual([7, 1, 3]);
});
