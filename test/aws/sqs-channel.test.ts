import { hash } from 'node:crypto';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { retryChannel } from '#aws/notifications/retry-queue.ts';
import { parking } from '#aws/queues/parking.ts';
import { byPriority } from '#aws/queues/queue-of-priority.ts';
import { inBatches } from '#aws/queues/send-batch.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge } from '#core/model/message.ts';
import { type AwsCall, accepted, answeringAws } from '../support/answering-aws.ts';
import { answeringServer } from '../support/answering-server.ts';
import { changeFor } from '../support/changes.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server.close());

async function received(url: string) {
  const messages = [];
  for (;;) {
    const { Messages = [] } = await server.client().send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return messages;
    messages.push(...Messages);
  }
}

const nudges = (count: number): Nudge[] =>
  Array.from({ length: count }, (_, at) => ({
    orderId: orderId(`order-${at}`),
    priority: 'normal',
  }));

test('more than a batch is sent completely', async () => {
  const url = await server.queue();
  const channel = sqsChannel({
    client: server.client(),
    codec: nudgeCodec,
    queueOf: () => url,
  });
  await channel.send(nudges(23));
  const bodies = (await received(url)).map(({ Body }) => nudgeCodec.decode(Body ?? ''));
  const ids = bodies.map((one) => (one.kind === 'message' ? one.message.orderId : one.reason));
  expect(ids.toSorted()).toEqual(
    nudges(23)
      .map((nudge) => nudge.orderId)
      .toSorted(),
  );
});

test('a message that cannot be written keeps no other from being sent', async () => {
  const url = await server.queue();
  const channel = sqsChannel<Nudge>({
    client: server.client(),
    codec: {
      ...nudgeCodec,
      encode(nudge) {
        if (nudge.orderId === 'order-1') throw new RangeError('It cannot be written.');
        return nudgeCodec.encode(nudge);
      },
    },
    queueOf: () => url,
  });
  await expect(channel.send(nudges(3))).rejects.toThrow(RangeError);
  expect(await received(url)).toHaveLength(2);
});

test('a delayed message asks SQS to hide it, and the others do not', async () => {
  const aws = await answeringAws(({ input }) => {
    const { Entries } = z
      .object({ Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })) })
      .parse(input);
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: hash('md5', MessageBody),
    }));
    return { Successful, Failed: [] };
  });
  const client = sqsClient({ endpoint: aws.url });
  const channel = sqsChannel({
    client,
    codec: nudgeCodec,
    queueOf: () => `${aws.url}/000000000000/ready`,
    delaySecondsOf: ({ at = 0 }) => at,
  });
  const [now, later] = nudges(2);
  if (now === undefined || later === undefined) throw new Error('there are two nudges');
  await channel.send([now, { ...later, at: 7 }]);
  const [call] = aws.calls;
  expect(call?.input).toMatchObject({
    Entries: [expect.not.objectContaining({ DelaySeconds: 0 }), { DelaySeconds: 7 }],
  });
  expect(JSON.stringify(call?.input).match(/DelaySeconds/g)).toHaveLength(1);
});

test('messages that are large together are sent in several batches', async () => {
  const url = await server.queue();
  const channel = sqsChannel({
    client: server.client(),
    codec: submissionCodec,
    queueOf: () => url,
  });
  const common = {
    workflow: 'house',
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  await channel.send(
    Array.from({ length: 5 }, (_, at) => ({
      ...common,
      key: `k${at}`,
      details: 'x'.repeat(100_000),
    })),
  );
  expect(await received(url)).toHaveLength(5);
});

test('a message is sent with any characters in its documents', async () => {
  const url = await server.queue();
  const channel = sqsChannel({
    client: server.client(),
    codec: submissionCodec,
    queueOf: () => url,
  });
  const common = {
    workflow: 'house',
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const message = { ...common, key: 'k', details: { note: 'a\uffffb\ufffe\u0000' } };
  await channel.send([message]);
  const [sent] = await received(url);
  expect(submissionCodec.decode(sent?.Body ?? '')).toEqual({ kind: 'message', message });
});

test('each priority goes to its queue, and a priority without one to that of normal', async () => {
  const [normal, high] = [await server.queue(), await server.queue()];
  const channel = sqsChannel({
    client: server.client(),
    codec: nudgeCodec,
    queueOf: byPriority({ normal, high }),
  });
  const id = orderId('one');
  await channel.send([
    { orderId: id, priority: 'high' },
    { orderId: id, priority: 'normal' },
    { orderId: id, priority: 'low' },
  ]);
  expect(await received(high)).toHaveLength(1);
  expect(await received(normal)).toHaveLength(2);
});

test('a missing queue is an error, not a loss', async () => {
  const channel = sqsChannel({
    client: server.client(),
    codec: nudgeCodec,
    queueOf: () => `${server.endpoint}/000000000000/nowhere`,
  });
  await expect(channel.send(nudges(1))).rejects.toMatchObject({
    code: 'aws-unavailable',
    message: expect.stringMatching(/^SQS call failed: /),
  });
});

test("a queue's URL never decides where a signed request goes", async () => {
  const url = await server.queue();
  const elsewhere = `https://attacker.invalid${new URL(url).pathname}`;
  const channel = sqsChannel({
    client: server.client(),
    codec: nudgeCodec,
    queueOf: () => elsewhere,
  });
  await channel.send(nudges(1));
  expect(await received(url)).toHaveLength(1);
});

test('a parked message keeps its text and has the reason', async () => {
  const dead = await server.queue();
  const eventSourceARN = 'arn:aws:sqs:us-east-1:000000000000:ready';
  const park = parking(server.client(), (arn) => (arn === eventSourceARN ? dead : undefined));
  await park(sqsRecord('1', 'rubbish', eventSourceARN), 'is not JSON');
  const [message] = await received(dead);
  expect(message?.Body).toBe('rubbish');
  expect(message?.MessageAttributes?.['Reason']?.StringValue).toBe('is not JSON');
  await expect(park(sqsRecord('1', 'rubbish', 'other'), 'x')).rejects.toMatchObject({
    code: 'no-dead-letter-queue',
  });
});

const batchSchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});

/** An SQS that rejects entries on request, which no emulator can do. */
async function refusingSqs(refuse: (call: number, id: string) => 'ours' | 'theirs' | null) {
  const calls: string[][] = [];
  const { url: endpoint } = await answeringServer((response, { body }) => {
    const { Entries } = batchSchema.parse(JSON.parse(body));
    calls.push(Entries.map(({ Id }) => Id));
    const verdict = (id: string) => refuse(calls.length, id);
    const ok = Entries.filter(({ Id }) => verdict(Id) === null);
    const failed = Entries.filter(({ Id }) => verdict(Id) !== null);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(
      JSON.stringify({
        Successful: ok.map(({ Id, MessageBody }) => ({
          Id,
          MessageId: Id,
          MD5OfMessageBody: hash('md5', MessageBody),
        })),
        ...(failed.length > 0 && {
          Failed: failed.map(({ Id }) => ({
            Id,
            Code: 'Refused',
            SenderFault: verdict(Id) === 'ours',
          })),
        }),
      }),
    );
  });
  const client = sqsClient({ endpoint });
  const channel = sqsChannel({
    client,
    codec: nudgeCodec,
    queueOf: () => `${endpoint}/000000000000/q`,
  });
  return { calls, channel };
}

test('only the rejected part of a batch is sent again', async () => {
  const { calls, channel } = await refusingSqs((call, id) =>
    call === 1 && (id === '1' || id === '3') ? 'theirs' : null,
  );
  await channel.send(nudges(5));
  expect(calls).toEqual([
    ['0', '1', '2', '3', '4'],
    ['1', '3'],
  ]);
});

test('messages that SQS keeps rejecting are an error after three tries', async () => {
  const { calls, channel } = await refusingSqs((_, id) => (id === '0' ? 'theirs' : null));
  await expect(channel.send(nudges(2))).rejects.toMatchObject({
    code: 'messages-unsent',
    message: expect.stringMatching(/^SQS rejected a message: Refused\. See the queue's policy/),
  });
  expect(calls).toHaveLength(3);
});

test('a message accepted at the third try is not an error', async () => {
  const { calls, channel } = await refusingSqs((call) => (call < 3 ? 'theirs' : null));
  await channel.send(nudges(2));
  expect(calls).toHaveLength(3);
});

test('among several errors, the sender gets one that may be retried', async () => {
  const { channel } = await refusingSqs((_, id) => (id === '0' ? 'ours' : 'theirs'));
  await expect(channel.send(nudges(2))).rejects.toThrow(UnavailableError);
});

test('a sender fault is not sent again', async () => {
  const { calls, channel } = await refusingSqs(() => 'ours');
  await expect(channel.send(nudges(1))).rejects.toThrow(RefusedError);
  expect(calls).toHaveLength(1);
});

test('beside a sender fault, messages that SQS could not accept are sent again', async () => {
  const { calls, channel } = await refusingSqs((call, id) => {
    if (call === 1 && id === '2') return 'theirs';
    return id === '0' ? 'ours' : null;
  });
  await expect(channel.send(nudges(4))).rejects.toThrow(RefusedError);
  expect(calls).toEqual([['0', '1', '2', '3'], ['2']]);
});

test('a message that is too large does not prevent others from being sent', async () => {
  const url = await server.queue();
  const channel = sqsChannel({
    client: server.client(),
    codec: submissionCodec,
    queueOf: () => url,
  });
  const common = {
    workflow: 'house',
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const message = (at: number, length: number) => ({
    ...common,
    key: `k${at}`,
    details: 'x'.repeat(length),
  });
  const tooLarge = message(1, limits.messageBytesMax);
  const sent = channel.send([message(0, 9), tooLarge, message(2, 9)]);
  await expect(sent).rejects.toMatchObject({
    code: 'message-too-large',
    message: `1 of 3 messages have over ${limits.messageBytesMax} bytes. They are not sent.`,
  });
  expect(await received(url)).toHaveLength(2);
  const room = limits.messageBytesMax - submissionCodec.encode(message(0, 0)).length;
  await channel.send([message(0, room)]);
  expect(await received(url)).toHaveLength(1);
});

const kib = 1_024;
test.each<[string, number[], number[]]>([
  ['as many as one request takes', Array(10).fill(1), [10]],
  ['more than one request takes', Array(11).fill(1), [10, 1]],
  ['as large together as one request takes', [128 * kib, 128 * kib], [2]],
  ['larger together than one request takes', [128 * kib, 128 * kib + 1, 1], [1, 2]],
  ['the first one larger than one request takes', [300 * kib, 1], [1, 1]],
])('a request has messages up to its limits: %s', (_, sizes, expected) => {
  expect(inBatches(sizes, (size) => size).map(({ length }) => length)).toEqual(expected);
});

test('the retry queue has a group for each order and audience, and accepts a notification once', async () => {
  const { calls, url } = await answeringAws(() => ({}));
  const queue = 'https://sqs.us-east-1.amazonaws.com/123456789012/retry.fifo';
  const change = changeFor('one', 7);
  await retryChannel(sqsClient({ endpoint: url }), queue).send([{ audience: 'operator', change }]);
  expect(calls).toMatchObject([
    {
      operation: 'SendMessageBatch',
      input: {
        QueueUrl: queue,
        Entries: [{ MessageGroupId: 'one/operator', MessageDeduplicationId: 'one-7-operator' }],
      },
    },
  ]);
});

/** The sequence numbers of an order in the requests to the retry queue. */
const bodiesSchema = z.object({ Entries: z.array(z.object({ MessageBody: z.string() })) });
const sequencesIn = (calls: readonly AwsCall[], order: string) =>
  calls
    .flatMap(({ input }) => bodiesSchema.parse(input).Entries)
    .map(({ MessageBody }) => statusIn(MessageBody))
    .filter(({ orderId: id }) => id === order)
    .map(({ sequence }) => sequence);
const statusIn = (body: string) =>
  z.object({ change: z.object({ orderId: z.string(), sequence: z.int() }) }).parse(JSON.parse(body))
    .change;

const retried = [
  ...Array.from({ length: 10 }, (_, at) => changeFor(at === 0 ? 'one' : `other-${at}`, 7)),
  changeFor('one', 8),
].map((change) => ({ audience: 'submitter' as const, change }));

test('notifications of one order enter the retry queue one after the other, also in several requests', async () => {
  const [first, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { calls, url } = await answeringAws(async (call) => {
    if (sequencesIn([call], 'one').includes(7)) {
      first.resolve();
      await answer.promise;
    }
    return accepted(call);
  });
  const queue = retryChannel(sqsClient({ endpoint: url }), 'https://sqs/1/retry.fifo');
  const sent = queue.send(retried);
  await first.promise;
  // Another request goes there and back: one that had been sent with the first would have come.
  await queue.send([{ audience: 'submitter', change: changeFor('two', 1) }]);
  expect(sequencesIn(calls, 'one')).toEqual([7]);
  answer.resolve();
  await sent;
  expect(sequencesIn(calls, 'one')).toEqual([7, 8]);
});

test('after a notification that SQS rejects, no later one of its order enters the retry queue', async () => {
  const { calls, url } = await answeringAws((call) => {
    const { Entries } = z
      .object({ Entries: z.array(z.object({ Id: z.string() })) })
      .parse(call.input);
    const [first] = Entries;
    const Failed = [{ Id: first?.Id ?? '', Code: 'InternalError', SenderFault: false }];
    return { ...accepted({ ...call, input: { Entries: [] } }), Failed };
  });
  const sent = retryChannel(sqsClient({ endpoint: url }), 'https://sqs/1/retry.fifo').send(
    retried.filter(({ change }) => change.orderId === 'one'),
  );
  await expect(sent).rejects.toThrow(UnavailableError);
  expect(new Set(sequencesIn(calls, 'one'))).toEqual(new Set([7]));
});

test('a batch that fails does not prevent others from being sent', async () => {
  let calls = 0;
  const { url: endpoint } = await answeringServer((response) => {
    calls += 1;
    const type = { 'content-type': 'application/x-amz-json-1.0' };
    const name = 'com.amazonaws.sqs#BatchRequestTooLong';
    response.writeHead(400, type).end(JSON.stringify({ __type: name, message: 'too long' }));
  });
  const channel = sqsChannel({
    client: sqsClient({ endpoint }),
    codec: nudgeCodec,
    queueOf: () => `${endpoint}/000000000000/q`,
  });
  await expect(channel.send(nudges(23))).rejects.toThrow(RefusedError);
  expect(calls).toBe(3);
});
