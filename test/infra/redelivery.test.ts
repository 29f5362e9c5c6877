/** The queues of undelivered messages: each message is delivered, or becomes a dead letter, before its queue deletes it. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deliverFifo } from '#aws/queues/fifo-batch.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { changeFor } from '../support/changes.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { templateOf } from './scenario.ts';

const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};

const redelivery = z.object({
  MessageRetentionPeriod: z.int(),
  VisibilityTimeout: z.int(),
  RedrivePolicy: z.object({ maxReceiveCount: z.int() }),
});

/** How long a message is hidden whose receiver asks for a day, after so many receives, s. */
async function hiddenFor(receives: number): Promise<number> {
  let hidden = 0;
  const record = sqsRecord('a', statusCodec.encode(changeFor('a', 1)), undefined, { receives });
  await deliverFifo(
    { Records: [record] },
    {
      codec: statusCodec,
      log: testLog(),
      clock: { now: () => 0 },
      deliver: () =>
        Promise.reject(
          new DeliveryError('webhook-refused', 'No.', { of: 'channel', retryAfterMs: 86_400_000 }),
        ),
      async hide([message]) {
        hidden = message?.seconds ?? 0;
      },
    },
  );
  return hidden;
}

test('a receiver that always asks for a day loses no message: it is a dead letter before its queue deletes it', async () => {
  const queues = Object.values(
    templateOf({ webhooks: { shop: webhook } }).findResources('AWS::SQS::Queue', {
      Properties: { FifoQueue: true, RedrivePolicy: {} },
    }),
  ).map(({ Properties }) => redelivery.parse(Properties));
  expect(queues).toHaveLength(2);
  for (const { MessageRetentionPeriod, VisibilityTimeout, RedrivePolicy } of queues) {
    const { maxReceiveCount } = RedrivePolicy;
    let seconds = 0;
    for (let receives = 1; receives <= maxReceiveCount; receives += 1) {
      // The timeout of the queue is at least six times as long as one delivery may take.
      seconds += (await hiddenFor(receives)) + VisibilityTimeout / 6;
    }
    expect(seconds).toBeLessThan(MessageRetentionPeriod);
  }
});
