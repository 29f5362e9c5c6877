/** The report of a damaged row: the row, the reason and the remedy, once. */
import { describe, expect, test } from 'vitest';
import { CorruptDataError, NewerDataError, UnavailableError } from '#core/model/errors.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';

function desk() {
  const log = testLog();
  return { log, ...damageReport('the.db', log) };
}

const failing = (error: unknown) => () => {
  throw error;
};

test('a readable row is returned unchanged, and nothing is logged', () => {
  const { row, count, log } = desk();
  expect(row('Orders', 'one', () => 7)).toBe(7);
  expect([count(), log.lines]).toEqual([0, []]);
});

const sqlite = (errcode: number) => Object.assign(new Error('malformed'), { errcode });

describe('a row is reported once, however often it is read:', () => {
  test.each([
    ['it is corrupt', new CorruptDataError('row-corrupt', 'No date.'), 'row-corrupt', 'No date.'],
    [
      'its number is none of JavaScript',
      new RangeError('too large'),
      'row-damaged',
      'It holds a number that Reeve never writes.',
    ],
    ['SQLite cannot read it', sqlite(11), 'row-damaged', 'SQLite says: malformed.'],
  ])('%s', (_, error, code, reason) => {
    const { row, count, log } = desk();
    for (const at of [7, 7, 'seven']) {
      const message = `Row ${at} of table Changes in the.db is damaged: ${reason} Run \`reeve check\` while Reeve is stopped; restore a backup, or remove the row by hand.`;
      const read = () => row('Changes', at, failing(error));
      expect(read).toThrow(CorruptDataError);
      expect(read).toThrow(expect.objectContaining({ code, message, cause: error }));
    }
    const fields = { file: 'the.db', table: 'Changes', reason };
    expect(log.lines).toEqual([
      { event: 'store-damaged', fields: { ...fields, row: 7 } },
      { event: 'store-damaged', fields: { ...fields, row: 'seven' } },
    ]);
    expect(count()).toBe(2);
  });
});

test('the same row number of two tables is reported twice', () => {
  const { report, count } = desk();
  for (const table of ['Orders', 'Processes']) report({ table, row: 7, reason: 'x' });
  expect(count()).toBe(2);
});

test('an order that is not stored because of damage is reported once, and one that another error keeps back is not', () => {
  const { unstored, count, log } = desk();
  const { record } = newOrder('one', 0);
  unstored(record, sqlite(10));
  unstored(record, new CorruptDataError('row-damaged', 'The read has reported it.'));
  expect(count()).toBe(0);
  for (const _ of [1, 2]) unstored(record, sqlite(11));
  expect(log.lines).toEqual([
    {
      event: 'store-damaged',
      fields: {
        ...{ file: 'the.db', table: 'Processes', row: 'one' },
        reason:
          'Its next revision, in Pending, cannot be stored, so that the order stays as it was: SQLite says: malformed.',
      },
    },
  ]);
});

test('an error that is no damage keeps its class', () => {
  const { row, count, log } = desk();
  const other = new TypeError('no');
  expect(() => row('Orders', 'one', failing(other))).toThrow(other);
  const newer = new NewerDataError('record-newer', 'Of a newer release.');
  expect(() => row('Orders', 'one', failing(newer))).toThrow(newer);
  const disk = () => row('Orders', 'one', failing(sqlite(10)));
  expect(disk).toThrow(UnavailableError);
  expect(disk).toThrow(/the\.db/);
  expect([count(), log.lines]).toEqual([0, []]);
});

test('a disk with damage everywhere does not fill the log', () => {
  const { report, count, log } = desk();
  for (let row = 0; row < 1_001; row += 1) report({ table: 'Orders', row, reason: 'x' });
  report({ table: 'Orders', row: 0, reason: 'x' });
  expect([count(), log.lines.length]).toEqual([1_000, 1_000]);
});
