import { expect, test } from 'vitest';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { statusMessage } from '#core/codec/status-message.ts';
import { type Change, changeOf } from '#core/model/change.ts';
import { newOrder } from '../support/orders.ts';

function newChange(): Change {
  const change = changeOf(null, newOrder('one', 0, 'shop').record);
  if (change === null) throw new Error('A new order with a response channel is a change.');
  return change;
}

test('a status message has the id of its change, and the text of the codec', () => {
  const change = newChange();
  const { id, body } = statusMessage(change);
  expect([id, body]).toEqual(['one-1', statusCodec.encode(change)]);
});

test('the change is encoded when its text is first asked for, and not again', () => {
  let encoded = 0;
  const change = {
    ...newChange(),
    get at() {
      encoded += 1;
      return 0;
    },
  };
  const status = statusMessage(change);
  expect(encoded).toBe(0);
  expect(status.body).toBe(status.body);
  expect(encoded).toBe(1);
});
