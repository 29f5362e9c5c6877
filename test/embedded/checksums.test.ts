/** The checksum of a record's row covers each column, and each half of each number. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { checksumOf, recordChecksum } from '#embedded/integrity/checksums.ts';
import { newOrder } from '../support/orders.ts';

const stored = encodeRecord(newOrder('one', Date.UTC(2026, 0, 1), 'shop').record);
const row: Readonly<Record<string, unknown>> = { ...stored, DueAt: stored.SubmittedAt };
const names = Object.keys(row);

test('the checksum of a written row equals that of the row read', () => {
  expect(checksumOf('Processes', row)).toBe(recordChecksum(stored, null, stored.SubmittedAt));
  const never = { ...row, DueAt: null };
  expect(checksumOf('Processes', never)).toBe(recordChecksum(stored, null, null));
});

test.each(names)('another value of column %s changes the checksum', (name) => {
  const other = [null, 'other', -0.5, 5.5, 2 ** 40, new Uint8Array(1)];
  for (const value of other.filter((each) => each !== row[name])) {
    expect(checksumOf('Processes', { ...row, [name]: value })).not.toBe(
      checksumOf('Processes', row),
    );
  }
});

const numbers = names.filter((name) => typeof row[name] === 'number');
const low = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const high = fc.integer({ min: 0, max: 2 ** 21 - 1 });

test.each(numbers)('every change within 32 bits of column %s changes the checksum', (name) => {
  const sum = (above: number, below: number) =>
    checksumOf('Processes', { ...row, [name]: above * 2 ** 32 + below });
  fc.assert(
    fc.property(high, low, low, (above, from, to) => {
      expect(sum(above, from) === sum(above, to)).toBe(from === to);
    }),
  );
  fc.assert(
    fc.property(high, high, low, (from, to, below) => {
      expect(sum(from, below) === sum(to, below)).toBe(from === to);
    }),
  );
});

test('fields of another release are covered, and their absence does not change the checksum', () => {
  const sum = (Extension: unknown) => checksumOf('Processes', { ...row, Extension });
  const sums = ['{"a":1}', '{"a":2}', '', null].map(sum);
  expect(new Set(sums).size).toBe(4);
  expect(sum(undefined)).toBe(sum(null));
  expect(sum('{"a":1}')).toBe(recordChecksum(stored, '{"a":1}', stored.SubmittedAt));
});
