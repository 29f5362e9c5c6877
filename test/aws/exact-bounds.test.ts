/** What belongs to another deployment, another tenant or another item, and what is too large by its bytes alone. */
import { expect, test } from 'vitest';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { alertDetail } from '#aws/notifications/alert-detail.ts';
import { streamEntry } from '#aws/notifications/process-stream.ts';
import { deadLettersOf, replyingAgent } from '#aws/queues/queue-names.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { limits } from '#core/model/limits.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { changeFor } from '../support/changes.ts';

test('a queue of a deployment whose name is as long is not one of this deployment', () => {
  const base = 'https://sqs.us-east-1.amazonaws.com/000000000000/shop-a';
  const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
  expect(replyingAgent(base, arn('shop-a_reply_paint'))).toBe('paint');
  expect(replyingAgent(base, arn('shop-b_reply_paint'))).toBeUndefined();
  expect(deadLettersOf(base, arn('shop-a_ready_normal'))).toBe(`${base}_dead_ready`);
  expect(deadLettersOf(base, arn('shop-b_ready_normal'))).toBeUndefined();
});

test('an alert names the tenant of its order', () => {
  const change = { ...changeFor('one', 1), tenant: 'inn' };
  expect(alertDetail({ change, remedy: 'npx reeve resubmit one' }, 'shop').tenant).toBe('inn');
});

test('an expired record with its details is taken out of its line, if it has one', () => {
  const removed = (more: object) =>
    streamEntry({
      eventName: 'REMOVE',
      dynamodb: {
        Keys: { OrderID: { S: 'one' } },
        OldImage: { SubmittedAt: { N: '1' }, Details: { S: '{}' }, ...more },
      },
    });
  expect(removed({})).toEqual({ kind: 'nothing' });
  const line = 'a'.repeat(40);
  expect(removed({ Line: { S: line } })).toMatchObject({ kind: 'removed', orderId: 'one', line });
});

test('a message is too large by its bytes, of which a character may have three', async () => {
  const aws = await answeringAws(accepted);
  const body = (length: number) => '€'.repeat(Math.floor(length / 3));
  const send = (text: string) =>
    sqsChannel({
      client: sqsClient({ endpoint: aws.url }),
      codec: { ...nudgeCodec, encode: () => text },
      queueOf: () => `${aws.url}/000000000000/test`,
    }).send([{ orderId: changeFor('one', 1).orderId, priority: 'normal' }]);
  await send(body(limits.messageBytesMax));
  expect(aws.calls).toHaveLength(1);
  await expect(send(body(limits.messageBytesMax + 3))).rejects.toThrow(
    `over ${limits.messageBytesMax} bytes`,
  );
  expect(aws.calls).toHaveLength(1);
});
