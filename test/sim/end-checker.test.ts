/** The checks of an order at its end, of records that only a mistake writes. */
import { expect, test } from 'vitest';
import { checkStored } from '#checkers/end-checker.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { newOrder } from '../support/orders.ts';

const { record } = newOrder('one', 0);
const withEntry = (entry: HistoryEntry): ProcessRecord => ({
  ...record,
  history: [...record.history, entry],
});
const waits = {
  type: 'held',
  at: 0,
  by: schedulerId('scheduler'),
  times: 1,
  definitionUnknown: false,
} as const;

test('a record that is read back as it was breaks no rule', () => {
  expect(checkStored(record)).toBeNull();
});

test('a record that cannot be read back breaks R15, and the check of the others goes on', () => {
  expect(checkStored(withEntry(waits))).toMatchObject({
    rule: 'R15',
    message: expect.stringContaining('cannot be read'),
  });
});
