/** The check of outages: an attempt that begins while the circuit is open is no failure, wherever the order can be read. */
import { expect, test } from 'vitest';
import { outageChecker } from '#checkers/process/outage-checker.ts';
import type { OrderId } from '#core/model/ids.ts';
import { claimed, newOrder, next } from '../support/orders.ts';

type OutageOf = (orderId: OrderId, nowMs: number) => string | null;

/** What is said of an order whose first attempts are counted as failures by the sweep at 11 s. */
function expiredAttempts(outageOf: OutageOf): readonly string[] {
  const breaches: string[] = [];
  let nowMs = 0;
  const checked = outageChecker(
    () => nowMs,
    (_, orderId) => outageOf(orderId, nowMs),
    (rule, message) => breaches.push(`${rule} ${message}`),
  );
  const { record: submitted } = newOrder('one', nowMs);
  checked({ before: null, after: submitted });
  const begun = claimed(submitted, nowMs);
  checked({ before: submitted, after: begun });
  nowMs = 11_000;
  checked({ before: begun, after: next(begun, { type: 'expired' }, nowMs) });
  return breaches;
}

test('an attempt that begins in an outage and is counted as a failure in it is a breach', () => {
  expect(expiredAttempts(() => 'outage')).toEqual([
    'R23 one east 1 began while the circuit was open, and counted as a failure',
    'R23 one west 1 began while the circuit was open, and counted as a failure',
  ]);
});

test.each<[string, OutageOf]>([
  ['there is no outage', () => null],
  ['the record of the order cannot be read', (orderId) => (orderId === 'one' ? null : 'outage')],
  ['the outage begins later', (_, nowMs) => (nowMs < 11_000 ? null : 'outage')],
  ['the attempt is counted in another outage', (_, nowMs) => `outage ${nowMs}`],
])('an attempt may be counted as a failure where %s', (_, outageOf) => {
  expect(expiredAttempts(outageOf)).toEqual([]);
});
