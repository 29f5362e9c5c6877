import { expect, test } from 'vitest';
import { CorruptDataError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { Delivery } from '#ports/delivery.ts';
import { deliveryOf } from '#roles/event-delivery.ts';
import type { Outcome } from '#roles/transitions/transitions.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';

const { record } = newOrder('one', 0);
const failed = (error: unknown): Outcome => ({ kind: 'failed', error });
const done: Delivery = { kind: 'done' };
const retry: Delivery = { kind: 'retry' };
const parked = (reason: string): Delivery => ({ kind: 'park', reason });

test.each<[string, Outcome, Delivery, string | null]>([
  ['a write that was made', { kind: 'committed', record }, done, null],
  ['an event that does not count', { kind: 'ignored', reason: 'not-due', record }, done, null],
  ['an unknown order', { kind: 'unknown-order' }, parked('unknown-order'), null],
  [
    'a store that is away',
    failed(new UnavailableError('store-unavailable', 'Later.')),
    retry,
    'Later.',
  ],
  [
    'an order that cannot be read',
    failed(new CorruptDataError('row-damaged', 'No.')),
    parked('row-damaged'),
    'No.',
  ],
  [
    'an order that no store takes',
    failed(new RefusedError('store-refused', 'No.')),
    parked('store-refused'),
    'No.',
  ],
  [
    'an error that is not of Reeve, which may quote details',
    failed(new TypeError('secret')),
    retry,
    'TypeError',
  ],
  ['something thrown that is no error', failed('a text'), retry, 'unknown'],
])('what becomes of a message, and what the log has: %s', (_, outcome, delivery, error) => {
  const log = testLog();
  expect(deliveryOf(outcome, log)).toEqual(delivery);
  const lines = error === null ? [] : [{ event: 'message-failed', fields: { error } }];
  expect(log.lines).toEqual(lines);
});
