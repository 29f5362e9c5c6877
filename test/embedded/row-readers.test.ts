/** The exact result of each reader of a row, and its error for a row that it cannot read. */
import { describe, expect, test } from 'vitest';
import { CorruptDataError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import {
  ageOf,
  changeOfRow,
  dueCursor,
  dueOf,
  idOf,
  listCursor,
  listedOf,
  numberOf,
  orderOf,
  recordOf,
} from '#embedded/rows.ts';

const readers: readonly [string, (row: Record<string, unknown>) => unknown][] = [
  ['order', orderOf],
  ['due entry', dueOf],
  ['row number', numberOf],
  ['order id', ({ OrderID }) => idOf({ OrderID: String(OrderID) })],
  ['place in a listing', listedOf],
  ['order', ageOf],
  ['change', changeOfRow],
];

test.each(readers)('the error for an unreadable %s names it and says what to do', (what, read) => {
  const refused = () => read({ OrderID: 'not an id' });
  expect(refused).toThrow(CorruptDataError);
  expect(refused).toThrow(
    expect.objectContaining({
      code: 'row-corrupt',
      message: `A stored ${what} cannot be read. Restore the data from a backup, or remove it by hand.`,
      cause: expect.any(Error),
    }),
  );
});

test.each([null, 7, 'text', undefined])('a stored process record must not be %j', (row) => {
  expect(() => recordOf(row)).toThrow(/^A stored process record cannot be read/);
});

test('the extension of a record must be a JSON object', () => {
  for (const Extension of ['x', '[]', '7']) {
    expect(() => recordOf({ Extension })).toThrow(/^A stored extension cannot be read/);
  }
});

test('sound rows are read unchanged', () => {
  const order = { OrderID: 'one', Details: '{"a":[1]}', Digest: 'd', SubmittedAt: 7 };
  const read = { orderId: 'one', details: { a: [1] }, digest: 'd', submittedAt: 7 };
  expect(orderOf(order)).toEqual(read);
  expect(dueOf({ DueAt: 5, OrderID: 'one' })).toEqual({ DueAt: 5, OrderID: 'one' });
  expect(listedOf({ Seq: 5, OrderID: 'one' })).toEqual({ Seq: 5, OrderID: 'one' });
  expect(idOf({ OrderID: 'one' })).toBe(orderId('one'));
});

test('numbers are read up to the largest safe integer', () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect([numberOf({ Seq: 5 }), numberOf({ Seq: 5n }), numberOf({ Seq: BigInt(most) })]).toEqual([
    5,
    5,
    most,
  ]);
  expect(() => numberOf({ Seq: BigInt(most) + 1n })).toThrow(/row number/);
  const age = { Seq: 5n, OrderID: 'one', ProcessState: 'Undone', SubmittedAt: 6n, UpdatedAt: 7n };
  expect(ageOf(age)).toEqual({ ...age, Seq: 5, SubmittedAt: 6, UpdatedAt: 7 });
});

describe('a cursor', () => {
  test.each([
    [null, Number.MAX_SAFE_INTEGER],
    ['0', 0],
    ['7', 7],
    ['1234567890123456', 1_234_567_890_123_456],
  ])('of a listing: %j', (cursor, read) => {
    expect(listCursor(cursor)).toBe(read);
  });

  test.each([
    ['7.one', 7, 'one'],
    ['1234567890123456.a.b', 1_234_567_890_123_456, 'a.b'],
    ['7.', 7, ''],
    ['7.a\nb', 7, 'a\nb'],
  ])('of a due query: %j', (cursor, at, id) => {
    expect(dueCursor(cursor)).toEqual([at, id]);
  });

  const refusal = expect.objectContaining({
    code: 'cursor-invalid',
    message: 'The cursor was not returned by a listing. Start again without a cursor.',
  });

  test.each(['', 'x7', '7x', '7\n', '-7', '12345678901234567'])('of no listing: %j', (cursor) => {
    expect(() => listCursor(cursor)).toThrow(refusal);
  });

  test.each(['', '7', '.one', 'x7.one', '7x.one', '12345678901234567.one'])(
    'of no due query: %j',
    (cursor) => {
      expect(() => dueCursor(cursor)).toThrow(refusal);
    },
  );
});
