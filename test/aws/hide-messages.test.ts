import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { hideMessages, receivesOf } from '#aws/queues/hide-messages.ts';
import { queueUrlOf } from '#aws/queues/queue-url.ts';
import { answeringServer } from '../support/answering-server.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { queueArn, type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server?.close());

const batchSchema = z.object({
  QueueUrl: z.string(),
  Entries: z.array(
    z.object({ Id: z.string(), ReceiptHandle: z.string(), VisibilityTimeout: z.number() }),
  ),
});

/** An SQS that rejects entries on request, which no emulator can do. */
async function refusingSqs(refuse: (call: number, id: string) => 'ours' | 'theirs' | null) {
  const calls: z.infer<typeof batchSchema>[] = [];
  const { url: endpoint } = await answeringServer((response, { body }) => {
    const batch = batchSchema.parse(JSON.parse(body));
    calls.push(batch);
    const of = ({ Id }: { Id: string }) => refuse(calls.length, Id);
    const failed = batch.Entries.filter((entry) => of(entry) !== null).map((entry) => ({
      Id: entry.Id,
      Code: 'ReceiptHandleIsInvalid',
      SenderFault: of(entry) === 'ours',
    }));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(
      JSON.stringify({
        Successful: batch.Entries.filter((entry) => of(entry) === null),
        ...(failed.length > 0 && { Failed: failed }),
      }),
    );
  });
  return { calls, hide: hideMessages(sqsClient({ endpoint })) };
}

const arn = 'arn:aws:sqs:eu-central-1:123456789012:replies';
const hidings = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    record: sqsRecord(`m${at}`, '{}', arn),
    seconds: at + 1,
  }));

test('a hidden message is delivered again after its own wait, not after the timeout of its queue', async () => {
  const client = server.client();
  const url = await server.queue({ VisibilityTimeout: '180' });
  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'a' }));
  const receive = async (WaitTimeSeconds: number) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds }),
    );
    return Messages;
  };
  const [message] = await receive(0);
  const record = {
    ...sqsRecord('m', 'a', queueArn(url)),
    receiptHandle: message?.ReceiptHandle ?? '',
  };
  await hideMessages(client)([{ record, seconds: 1 }]);
  expect(await receive(0)).toEqual([]);
  expect(await receive(10)).toMatchObject([{ Body: 'a' }]);
});

test('each message is hidden for its own time, ten in a request, in its source queue', async () => {
  const { calls, hide } = await refusingSqs(() => null);
  await hide(hidings(12));
  expect(calls.map(({ Entries }) => Entries.length)).toEqual([10, 2]);
  expect(calls[0]?.QueueUrl).toBe('https://sqs.eu-central-1.amazonaws.com/123456789012/replies');
  expect(calls[1]?.Entries).toEqual([
    { Id: '0', ReceiptHandle: 'm10', VisibilityTimeout: 11 },
    { Id: '1', ReceiptHandle: 'm11', VisibilityTimeout: 12 },
  ]);
});

test('without messages no request is sent', async () => {
  const { calls, hide } = await refusingSqs(() => null);
  await hide([]);
  expect(calls).toEqual([]);
});

test('only messages that SQS could not hide are tried again', async () => {
  const { calls, hide } = await refusingSqs((call, id) =>
    call === 1 && id === '1' ? 'theirs' : null,
  );
  await hide(hidings(3));
  expect(calls.map(({ Entries }) => Entries.map(({ Id }) => Id))).toEqual([['0', '1', '2'], ['1']]);
});

test('a message hidden at the third try is not an error', async () => {
  const { calls, hide } = await refusingSqs((call) => (call < 3 ? 'theirs' : null));
  await hide(hidings(2));
  expect(calls).toHaveLength(3);
});

test('messages that SQS keeps rejecting are an error with their number and reason, after three tries', async () => {
  const { calls, hide } = await refusingSqs((_, id) => (id === '1' ? 'theirs' : null));
  await expect(hide(hidings(3))).rejects.toMatchObject({
    code: 'messages-not-hidden',
    message: expect.stringContaining('1 of 3 messages: ReceiptHandleIsInvalid'),
  });
  expect(calls).toHaveLength(3);
});

test('a sender fault is not retried, and the others of its batch are', async () => {
  const { calls, hide } = await refusingSqs((call, id) => {
    if (id === '1') return 'ours';
    return call === 1 ? 'theirs' : null;
  });
  await expect(hide(hidings(2))).rejects.toMatchObject({
    code: 'messages-not-hidden',
    message: expect.stringMatching(/^SQS did not hide 1 of 2 messages: ReceiptHandleIsInvalid\./),
  });
  expect(calls.map(({ Entries }) => Entries.map(({ Id }) => Id))).toEqual([['0', '1'], ['0']]);
});

test('a missing queue is an error', async () => {
  const record = sqsRecord('m', '{}', 'arn:aws:sqs:us-east-1:000000000000:nowhere');
  await expect(hideMessages(server.client())([{ record, seconds: 1 }])).rejects.toMatchObject({
    code: 'aws-unavailable',
    message: expect.stringContaining('SQS call failed'),
  });
});

test('the receives of a message are a number', () => {
  const plain = sqsRecord('m', '{}', arn);
  const attributes = { ...plain.attributes, ApproximateReceiveCount: '17' };
  expect(receivesOf({ ...plain, attributes })).toBe(17);
});

test.each([
  ['aws', 'eu-west-1', 'a', 'https://sqs.eu-west-1.amazonaws.com/123456789012/a'],
  ['aws', 'us-east-1', 'a.fifo', 'https://sqs.us-east-1.amazonaws.com/123456789012/a.fifo'],
  ['aws-cn', 'cn-north-1', 'a', 'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/a'],
  ['aws-eusc', 'eusc-de-east-1', 'a', 'https://sqs.eusc-de-east-1.amazonaws.eu/123456789012/a'],
  ['aws-iso', 'us-iso-east-1', 'a', 'https://sqs.us-iso-east-1.c2s.ic.gov/123456789012/a'],
  [
    'aws-us-gov',
    'us-gov-west-1',
    'a-_9',
    'https://sqs.us-gov-west-1.amazonaws.com/123456789012/a-_9',
  ],
])('in partition %s and region %s a queue %s is at %s', (partition, region, name, url) => {
  expect(queueUrlOf(`arn:${partition}:sqs:${region}:123456789012:${name}`)).toBe(url);
});

test.each([
  '',
  'arn:aws:dynamodb:eu-west-1:123456789012:table/a',
  'arn:aws:sqs:eu-west-1:1234:a',
  'x arn:aws:sqs:eu-west-1:123456789012:a',
  'arn:aws:sqs:eu-west-1:123456789012:a/b',
])('%j is not the ARN of a queue', (text) => {
  expect(() => queueUrlOf(text)).toThrow(
    expect.objectContaining({
      code: 'queue-arn-invalid',
      message: expect.stringContaining('is not the ARN of an SQS queue'),
    }),
  );
});
