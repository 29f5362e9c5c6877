/** A row is read when it is the requested one, as it was written; otherwise the error says how it is damaged. */
import { expect, test } from 'vitest';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { changeOf } from '#core/model/change.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import { changeChecksum, orderChecksum, recordChecksum } from '#embedded/integrity/checksums.ts';
import { intactChange, intactOrder, intactRecord } from '#embedded/integrity/intact-rows.ts';
import { newOrder } from '../support/orders.ts';

type Row = Readonly<Record<string, unknown>>;

const now = Date.UTC(2026, 0, 1);
const { order, record } = newOrder('one', now, 'shop');
const change = changeOf(null, record);
const text = JSON.stringify(change);
const document = JSON.stringify(order.details);
const stored = encodeRecord(record);

const recordRow = { ...stored, DueAt: now, Checksum: recordChecksum(stored, null, now) };
const orderRow = {
  OrderID: 'one',
  Details: document,
  Digest: order.digest,
  SubmittedAt: now,
  Checksum: orderChecksum('one', document, order.digest, now),
};
const changeRow = {
  Seq: 7,
  Change: text,
  Audience: 'submitter',
  Checksum: changeChecksum(text, 'submitter'),
};
const one = orderId('one');

const readers: readonly [string, Row, unknown, (row: Row | undefined) => unknown][] = [
  ['record', recordRow, record, (row) => intactRecord(row, one)],
  ['record of any order', recordRow, record, (row) => intactRecord(row, null)],
  ['order', orderRow, order, (row) => intactOrder(row, one)],
  ['change', changeRow, { seq: 7, change, audience: 'submitter' }, intactChange],
];

test.each(readers)('a %s is read as it was written', (_, row, written, read) => {
  expect(read(row)).toEqual(written);
});

const damage = (message: string) => expect.objectContaining({ code: 'row-damaged', message });

test.each(readers)('a missing %s is damage', (_, _row, _written, read) => {
  expect(() => read(undefined)).toThrow(CorruptDataError);
  expect(() => read(undefined)).toThrow(
    damage('It is missing, though another table or index refers to it.'),
  );
});

test.each(readers)('a %s with another value in any column is damage', (_, row, _written, read) => {
  for (const column of Object.keys(row).filter((name) => name !== 'Seq')) {
    expect(() => read({ ...row, [column]: 'other' })).toThrow(
      damage('Its checksum does not agree.'),
    );
  }
});

test('a record or an order under another id is damage', () => {
  const two = orderId('two');
  const said = damage('An index leads from order two to order one.');
  expect(() => intactRecord(recordRow, two)).toThrow(said);
  expect(() => intactOrder(orderRow, two)).toThrow(said);
});
