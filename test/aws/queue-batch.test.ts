import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverBatch } from '#aws/queue-batch.ts';
import { nudgeCodec } from '#core/message-codec.ts';
import type { Delivery } from '#roles/delivery.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord as record } from '../support/sqs-record.ts';

const nudge = (id: string) => `{"version":1,"kind":"nudge","orderId":"${id}","priority":"normal"}`;

const delivery: fc.Arbitrary<Delivery> = fc.constantFrom<Delivery>(
  { kind: 'done' },
  { kind: 'retry' },
  { kind: 'park', reason: 'unknown-order' },
);
const message = fc.record({ readable: fc.boolean(), delivery, parkable: fc.boolean() });

test('nothing is acknowledged whose effect is not durable, and nothing else is delivered again', async () => {
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
              if (!works) throw new Error('the store is away');
              return nudges.map(({ orderId }) => {
                const { delivery: outcome } = messages[Number(orderId.slice(6))] ?? {};
                return outcome ?? { kind: 'retry' };
              });
            },
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

test('an answer too few is delivered again, not acknowledged', async () => {
  const response = await deliverBatch(
    { Records: [record('1', nudge('a')), record('2', nudge('b'))] },
    {
      codec: nudgeCodec,
      log: testLog(),
      receive: async () => [{ kind: 'done' }],
      park: async () => {},
    },
  );
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
});

test('a message that cannot be read is parked with the reason, and its text stays out of the log', async () => {
  const log = testLog();
  const reasons: string[] = [];
  const response = await deliverBatch(
    { Records: [record('1', 'card 4111 1111')] },
    {
      codec: nudgeCodec,
      log,
      receive: async () => [],
      async park(_, reason) {
        reasons.push(reason);
      },
    },
  );
  expect(response).toEqual({ batchItemFailures: [] });
  expect(reasons).toEqual(['is not JSON']);
  expect(JSON.stringify(log.lines)).not.toContain('4111');
});
