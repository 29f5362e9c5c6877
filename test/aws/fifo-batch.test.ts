/** A batch of a FIFO queue: what is delivered, what is returned, and how long it is hidden. */
import type { SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { deliverFifo } from '#aws/queues/fifo-batch.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { changeFor, down, textOf } from '../support/changes.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const now = Date.UTC(2026, 0, 2);

/** A batch as Lambda gives it, of these messages. */
function batch(...messages: readonly (readonly [string, number, number?])[]) {
  return {
    Records: messages.map(([id, sequence, tries = 1]) => {
      const plain = sqsRecord(`${id}-${sequence}`, statusCodec.encode(changeFor(id, sequence)));
      const attributes = {
        ...plain.attributes,
        MessageGroupId: id,
        ApproximateReceiveCount: String(tries),
      };
      return { ...plain, attributes };
    }),
  };
}

/** The result of a batch: delivered, returned, and hidden for how many seconds. */
async function outcome(event: SQSEvent, errors: Readonly<Record<string, unknown>>) {
  const delivered: string[] = [];
  const hidden: [string[], number][] = [];
  const log = testLog();
  const { batchItemFailures } = await deliverFifo(event, {
    codec: statusCodec,
    clock: { now: () => now },
    log,
    async deliver(change) {
      const error = errors[textOf(change)];
      if (error !== undefined) throw error;
      delivered.push(textOf(change));
    },
    async hide(messages) {
      const [first] = messages;
      hidden.push([messages.map(({ record }) => record.messageId), first?.seconds ?? 0]);
    },
  });
  return {
    delivered,
    hidden,
    log,
    again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  };
}

test('after the first message of an order that fails, its other messages are returned untried', async () => {
  const event = batch(['a', 1], ['b', 1], ['a', 2], ['a', 3], ['b', 2], ['a', 4]);
  const { delivered, again, hidden, log } = await outcome(event, { 'a 2': down });
  expect(delivered.toSorted()).toEqual(['a 1', 'b 1', 'b 2']);
  expect(again).toEqual(['a-2', 'a-3', 'a-4']);
  expect(hidden).toEqual([[['a-2', 'a-3', 'a-4'], 5]]);
  expect(log.lines).toEqual([
    {
      event: 'notification-failed',
      fields: { orderId: 'a', tries: 1, error: 'Webhook shop answered 503.' },
    },
  ]);
});

const asks = (retryAfterMs: number) =>
  new DeliveryError('webhook-refused', 'No.', { of: 'channel', retryAfterMs });

test.each<[string, number, unknown, number]>([
  ['the first time', 1, down, 5],
  ['the second time', 2, down, 10],
  ['the eighth time', 8, down, 640],
  ['the ninth time', 9, down, 900],
  ['the four hundredth time', 400, down, 900],
  ['by a receiver that asks for more', 1, asks(60_500), 61],
  ['by a receiver that asks for less', 8, asks(1_000), 640],
  ['by a receiver that asks for too much', 1, asks(86_400_000), 2_700],
  ['by an unexpected error', 1, new TypeError('x'), 5],
])('a message that failed %s waits within bounds', async (_, tries, error, seconds) => {
  const { hidden } = await outcome(batch(['a', 1, tries]), { 'a 1': error });
  expect(hidden).toEqual([[['a-1'], seconds]]);
});

test('an unreadable message is kept, and delays its own order only', async () => {
  const { Records: records } = batch(['a', 1], ['a', 2], ['b', 1]);
  const [first, ...rest] = records;
  if (first === undefined) throw new Error('there are three');
  const { delivered, again, log } = await outcome(
    { Records: [{ ...first, body: '?' }, ...rest] },
    {},
  );
  expect(delivered).toEqual(['b 1']);
  expect(again).toEqual(['a-1', 'a-2']);
  expect(log.lines).toEqual([
    {
      event: 'notification-failed',
      fields: { orderId: 'a', tries: 1, error: 'A message is not valid JSON.' },
    },
  ]);
});

test('orders that fail concurrently are returned and hidden separately', async () => {
  const event = batch(['a', 1, 2], ['b', 1, 1], ['a', 2, 1], ['b', 2, 1]);
  const { again, hidden } = await outcome(event, { 'a 1': down, 'b 2': asks(60_000) });
  expect(again.toSorted()).toEqual(['a-1', 'a-2', 'b-2']);
  expect(hidden.toSorted()).toEqual([
    [['a-1', 'a-2'], 10],
    [['b-2'], 60],
  ]);
});

test.each<[string | undefined, string]>([
  ['one', 'one'],
  ['one/operator', 'one'],
  [undefined, ''],
])('a failed message of the group %s is logged with its order %j', async (group, id) => {
  const [plain] = batch(['x', 1]).Records;
  if (plain === undefined) throw new Error('there is one');
  const { MessageGroupId: _, ...others } = plain.attributes;
  const attributes = { ...others, ...(group !== undefined && { MessageGroupId: group }) };
  const log = testLog();
  const { batchItemFailures } = await deliverFifo(
    { Records: [{ ...plain, attributes }] },
    {
      codec: statusCodec,
      clock: { now: () => now },
      log,
      deliver: () => Promise.reject('no error'),
      hide: () => Promise.reject('no error'),
    },
  );
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'x-1' }]);
  expect(log.lines).toEqual([
    { event: 'notification-failed', fields: { orderId: id, tries: 1, error: 'unknown' } },
    { event: 'messages-not-hidden', fields: { orderId: id, error: 'unknown' } },
  ]);
});

test('a message that fails is logged with how long it has waited, where its queue says when it was sent', async () => {
  const { Records: records } = batch(['a', 1], ['a', 2], ['b', 1]);
  const sent = (at: number) => ({ SentTimestamp: String(now - at) });
  const event = {
    Records: records.map((record, at) => ({
      ...record,
      attributes: { ...record.attributes, ...(at < 2 && sent(900_000 - at)) },
    })),
  };
  const { log } = await outcome(event, { 'a 1': down, 'b 1': down });
  const waited = log.lines.map(({ fields }) => [fields['orderId'], fields['waitedMs']]);
  expect(waited.toSorted()).toEqual([
    ['a', 900_000],
    ['b', undefined],
  ]);
});

test('where hiding fails, the messages are returned all the same', async () => {
  const log = testLog();
  const { batchItemFailures } = await deliverFifo(batch(['a', 1], ['a', 2]), {
    codec: statusCodec,
    clock: { now: () => now },
    log,
    deliver: () => Promise.reject(down),
    hide: () => Promise.reject(new Error('no')),
  });
  expect(batchItemFailures).toHaveLength(2);
  expect(log.lines).toMatchObject([
    { event: 'notification-failed' },
    { event: 'messages-not-hidden', fields: { orderId: 'a', error: 'no' } },
  ]);
});
