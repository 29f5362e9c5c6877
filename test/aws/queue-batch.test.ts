import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import type { Delivery } from '#ports/delivery.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord as record } from '../support/sqs-record.ts';

const nudge = (id: string) => `{"version":1,"kind":"nudge","orderId":"${id}","priority":"normal"}`;

/** For tests in which the time of redelivery does not matter. */
const unhidden = { hide: async () => {}, random: { next: () => 0 } };

const delivery: fc.Arbitrary<Delivery> = fc.constantFrom<Delivery>(
  { kind: 'done' },
  { kind: 'retry' },
  { kind: 'park', reason: 'unknown-order' },
);
const message = fc.record({ readable: fc.boolean(), delivery, parkable: fc.boolean() });

test('exactly the messages without a durable effect are delivered again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 10 }),
      fc.boolean(),
      async (messages, works) => {
        const records = messages.map(({ readable }, at) =>
          record(String(at), readable ? nudge(`order-${at}`) : 'rubbish'),
        );
        const parked = new Set<string>();
        const response = await deliverBatch(
          { Records: records },
          {
            codec: nudgeCodec,
            log: testLog(),
            async receive(nudges) {
              if (!works) throw new Error('the store is unavailable');
              return nudges.map(({ orderId }) => {
                const { delivery: outcome } = messages[Number(orderId.slice(6))] ?? {};
                return outcome ?? { kind: 'retry' };
              });
            },
            ...unhidden,
            async park({ messageId }) {
              if (messages[Number(messageId)]?.parkable !== true) throw new Error('no queue');
              parked.add(messageId);
            },
          },
        );
        const again = new Set(
          response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
        );
        for (const [at, { readable, delivery: outcome }] of messages.entries()) {
          const isDone = readable && works && outcome.kind === 'done';
          expect(again.has(String(at))).toBe(!isDone && !parked.has(String(at)));
        }
      },
    ),
  );
});

test('a message without an answer is delivered again, not acknowledged', async () => {
  const response = await deliverBatch(
    { Records: [record('1', nudge('a')), record('2', nudge('b'))] },
    {
      codec: nudgeCodec,
      log: testLog(),
      receive: async () => [{ kind: 'done' }],
      park: async () => {},
      ...unhidden,
    },
  );
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
});

test('an unreadable message is parked with the reason, and its text is not logged', async () => {
  const log = testLog();
  const reasons: string[] = [];
  const response = await deliverBatch(
    { Records: [record('1', 'card 4111 1111')] },
    {
      codec: nudgeCodec,
      log,
      receive: async () => [],
      ...unhidden,
      async park(_, reason) {
        reasons.push(reason);
      },
    },
  );
  expect(response).toEqual({ batchItemFailures: [] });
  expect(reasons).toEqual(['is not valid JSON']);
  expect(JSON.stringify(log.lines)).not.toContain('4111');
});

/** Hides a batch that failed; returns how long each message is hidden, s. */
async function hiddenFor(receives: readonly number[], next: number) {
  const hidden: [string, number][] = [];
  const log = testLog();
  const response = await deliverBatch(
    {
      Records: receives.map((count, at) => {
        const plain = record(String(at), nudge('a'));
        const attributes = { ...plain.attributes, ApproximateReceiveCount: String(count) };
        return { ...plain, attributes };
      }),
    },
    {
      codec: nudgeCodec,
      log,
      receive: () => Promise.reject(new Error('the store is away')),
      park: async () => {},
      random: { next: () => next },
      async hide(messages) {
        hidden.push(
          ...messages.map(({ record: { messageId }, seconds }): [string, number] => [
            messageId,
            seconds,
          ]),
        );
      },
    },
  );
  expect(response.batchItemFailures).toHaveLength(receives.length);
  return hidden;
}

test('a batch that failed is hidden for seconds that grow with the receives of each message', async () => {
  expect(await hiddenFor([1, 2, 3, 50], 0)).toEqual([
    ['0', 1],
    ['1', 2],
    ['2', 4],
    ['3', 10],
  ]);
  expect(await hiddenFor([1, 2, 3, 50], 0.999)).toEqual([
    ['0', 2],
    ['1', 4],
    ['2', 8],
    ['3', 20],
  ]);
});

test('only messages to be delivered again are hidden', async () => {
  const hidden: string[] = [];
  await deliverBatch(
    { Records: [record('1', nudge('a')), record('2', nudge('b'))] },
    {
      codec: nudgeCodec,
      log: testLog(),
      receive: async () => [{ kind: 'done' }, { kind: 'retry' }],
      park: async () => {},
      random: { next: () => 0 },
      hide: async (messages) => {
        hidden.push(...messages.map(({ record: { messageId } }) => messageId));
      },
    },
  );
  expect(hidden).toEqual(['2']);
});

test('where hiding fails, the messages are returned all the same, and the failure is logged', async () => {
  const log = testLog();
  const response = await deliverBatch(
    { Records: [record('1', nudge('a'))] },
    {
      codec: nudgeCodec,
      log,
      receive: async () => [{ kind: 'retry' }],
      park: async () => {},
      random: { next: () => 0 },
      hide: () => Promise.reject(new Error('SQS did not hide 1 of 1 messages')),
    },
  );
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  expect(log.lines).toEqual([
    {
      event: 'messages-not-hidden',
      fields: { messages: 1, error: 'SQS did not hide 1 of 1 messages' },
    },
  ]);
});

test('an error without a message is logged as unknown', async () => {
  const log = testLog();
  await deliverBatch(
    { Records: [record('1', nudge('a'))] },
    {
      codec: nudgeCodec,
      log,
      receive: async () => [{ kind: 'retry' }],
      park: async () => {},
      random: { next: () => 0 },
      hide: () => Promise.reject('no error'),
    },
  );
  expect(log.lines).toMatchObject([{ fields: { error: 'unknown' } }]);
});

test('without messages to be delivered again, nothing is hidden', async () => {
  const log = testLog();
  const response = await deliverBatch(
    { Records: [record('1', nudge('a'))] },
    {
      codec: nudgeCodec,
      log,
      receive: async () => [{ kind: 'done' }],
      park: async () => {},
      random: { next: () => 0 },
      hide: () => Promise.reject(new Error('there is nothing')),
    },
  );
  expect(response).toEqual({ batchItemFailures: [] });
  expect(log.lines).toEqual([]);
});

/** What is logged of messages with these receives that cannot be handled. */
async function returnedLog(receives: readonly number[]) {
  const log = testLog();
  const Records = receives.map((count, at) =>
    record(String(at), nudge('a'), 'arn:aws:sqs:us-east-1:123456789012:shop_ready_normal', {
      receives: count,
    }),
  );
  await deliverBatch(
    { Records },
    {
      codec: nudgeCodec,
      log,
      receive: async () => receives.map(() => ({ kind: 'retry' })),
      park: async () => {},
      ...unhidden,
    },
  );
  return log.lines;
}

test('messages that are returned the tenth time are logged with their queue: SQS no longer counts their age', async () => {
  expect(await returnedLog([1, 9])).toEqual([]);
  expect(await returnedLog([3, 10, 42])).toEqual([
    {
      event: 'messages-returned',
      fields: { queue: 'shop_ready_normal', messages: 2, receives: 42 },
    },
  ]);
});
