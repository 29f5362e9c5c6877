/** How late recovery is: nothing counts as late before the order was due. */
import { expect, test } from 'vitest';
import { attemptOf } from '#checkers/send-checker.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type Recovery, recoveriesOf } from '#sim/checks/recovery-time.ts';
import { claimed, newOrder, next } from '../support/orders.ts';

const submittedAt = Date.UTC(2026, 0, 1);

/** The recoveries of an order whose attempts begin 10 ms after their write. */
function recoveriesAfter(...records: readonly ProcessRecord[]): readonly Recovery[] {
  const writes = records.map((after, at) => ({
    before: records[at - 1] ?? null,
    after,
    by: 'test',
    at: after.updatedAt,
  }));
  const begun = new Map(
    records.flatMap(({ orderId, steps, updatedAt }) =>
      steps.map(
        ({ name, attempt }) => [attemptOf(orderId, name, attempt), updatedAt + 10] as const,
      ),
    ),
  );
  return recoveriesOf({ shared: { observer: { writes }, begun } });
}

test('a nudge that is lost is late from the end of the pick-up grace', () => {
  const { record } = newOrder('one', submittedAt);
  const foundAt = submittedAt + 70_000;
  const found = next(record, { type: 'expired' }, foundAt);
  const again = claimed(found, foundAt + 20);
  expect(recoveriesAfter(record, found, again)).toMatchObject([
    { lost: 'nudge', tookMs: 70_030, boundMs: 130_000 },
  ]);
});

test('an order that cools down is late from the end of its wait', () => {
  const { record } = newOrder('one', submittedAt);
  const waiting = { ...record, notBefore: submittedAt + 1_000_000 };
  const foundAt = waiting.notBefore + 70_000;
  const found = next(waiting, { type: 'expired' }, foundAt);
  const again = claimed(found, foundAt + 20);
  expect(recoveriesAfter(waiting, found, again)).toMatchObject([
    { lost: 'nudge', tookMs: 70_030, lateMs: 70_030, boundMs: 120_000 },
  ]);
});
