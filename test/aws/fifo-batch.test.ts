/** The queue of a webhook on an SQS server, from the publisher to a receiver that is down and comes back. */
import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awsPublisher } from '#aws/aws-publisher.ts';
import { eventBridgeClient } from '#aws/clients.ts';
import { discard, readLetters, sendBack } from '#aws/dead-letters.ts';
import { deliverFifo, type FifoConsumer } from '#aws/fifo-batch.ts';
import { type Hide, hideMessages } from '#aws/hide-messages.ts';
import type { LetterQueues } from '#aws/letter-queues.ts';
import { type Change, changeOf } from '#core/change.ts';
import { orderId } from '#core/ids.ts';
import { statusCodec } from '#core/message-codec.ts';
import { NotTold } from '#ports/publisher.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { respond } from '../support/publishing.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { queueArn, type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
let client: SQSClient;
beforeAll(async () => {
  server = await startSqs();
  client = server.client();
});
afterAll(() => server.close());

function changeFor(id: string, sequence: number): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return { ...found, orderId: orderId(id), sequence };
}

const down = new NotTold('webhook-refused', 'Webhook shop answered 503.', { of: 'channel' });

async function webhookQueue(maxReceiveCount = 400) {
  const dead = await server.queue({ FifoQueue: 'true' });
  const queue = await server.queue({
    FifoQueue: 'true',
    VisibilityTimeout: '720',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn(dead), maxReceiveCount }),
  });
  const publisher = awsPublisher({
    sqs: client,
    eventBridge: eventBridgeClient(),
    eventBus: 'default',
    deployment: 'reeve-test',
    command: 'npx reeve',
    responseChannels: { shop: { kind: 'webhook', url: queue } },
  });
  const tell = (id: string, sequence: number) =>
    respond(publisher, 'shop', changeFor(id, sequence));
  return { queue, dead, tell };
}

/** As Lambda's poller does: takes a batch, runs the function, deletes what it does not give back. */
async function poll(
  queue: string,
  consumer: Omit<FifoConsumer<Change>, 'log' | 'codec'>,
): Promise<number> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queue,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  );
  const records = Messages.map((message) => recordOf(queue, message));
  const { batchItemFailures } = await deliverFifo(
    { Records: records },
    { ...consumer, codec: statusCodec, log: testLog() },
  );
  const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { messageId, receiptHandle } of records) {
    if (again.has(messageId)) continue;
    await discard(client, { dead: queue, receipt: receiptHandle });
  }
  return records.length;
}

function recordOf(
  queue: string,
  { MessageId = '', Body = '', ReceiptHandle = '', Attributes }: Message,
): SQSRecord {
  const plain = sqsRecord(MessageId, Body, queueArn(queue));
  const { MessageGroupId = '', ApproximateReceiveCount = '1' } = Attributes ?? {};
  const attributes = { ...plain.attributes, MessageGroupId, ApproximateReceiveCount };
  return { ...plain, receiptHandle: ReceiptHandle, attributes };
}

const textOf = ({ orderId: id, sequence }: Change) => `${id} ${sequence}`;
/** No test waits: whatever is to be hidden comes again at once. */
const atOnce: Hide = (messages) =>
  hideMessages(client)(messages.map(({ record }) => ({ record, seconds: 0 })));

test('a receiver that is down loses no status: all arrive when it is back, in sequence for each order', async () => {
  const { queue, tell } = await webhookQueue();
  const orders = Array.from({ length: 8 }, (_, at) => `order-${at}`);
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    for (const id of orders) await tell(id, sequence);
  }
  const tried = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    await poll(queue, {
      hide: atOnce,
      async tell(change) {
        tried.add(textOf(change));
        throw down;
      },
    });
  }
  expect([...tried].every((text) => text.endsWith(' 1'))).toBe(true);

  const told: Change[] = [];
  const works = async (change: Change) => {
    told.push(change);
  };
  while ((await poll(queue, { hide: atOnce, tell: works })) > 0);
  expect(told).toHaveLength(32);
  for (const id of orders) {
    const own = told.filter((change) => change.orderId === id);
    expect(own).toEqual([1, 2, 3, 4].map((sequence) => changeFor(id, sequence)));
  }
});

test('what the stream tells twice is told once', async () => {
  const { queue, tell } = await webhookQueue();
  await tell('one', 1);
  await tell('one', 1);
  const told: string[] = [];
  const note = async (change: Change) => {
    told.push(textOf(change));
  };
  while ((await poll(queue, { hide: atOnce, tell: note })) > 0);
  expect(told).toEqual(['one 1']);
});

test('after days a status is a dead letter of its channel, and goes back in sequence', async () => {
  const { queue, dead, tell } = await webhookQueue(2);
  for (const sequence of [1, 2, 3]) await tell('one', sequence);
  const fails = async () => {
    throw down;
  };
  for (let round = 0; round < 9; round += 1) {
    await poll(queue, { hide: atOnce, tell: fails });
  }
  const queues: LetterQueues = {
    'Webhook-shop': { kind: 'status', dead, sources: { normal: queue } },
  };
  // A FIFO queue shows no more of an order while some of it is held: one look may not be all.
  const sent: unknown[] = [];
  for (let looks = 0; looks < 4; looks += 1) {
    const { letters } = await readLetters(client, queues);
    for (const letter of letters) await sendBack(client, letter);
    sent.push(...letters.map(({ kind, subject, wasParked }) => ({ kind, subject, wasParked })));
  }
  expect(sent).toMatchObject(
    [1, 2, 3].map((sequence) => ({
      kind: 'status',
      subject: { orderId: 'one', sequence },
      wasParked: false,
    })),
  );
  const told: string[] = [];
  const note = async (change: Change) => {
    told.push(textOf(change));
  };
  while ((await poll(queue, { hide: atOnce, tell: note })) > 0);
  expect(told).toEqual(['one 1', 'one 2', 'one 3']);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
});

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

/** What becomes of a batch: told, given back, and hidden for how many seconds. */
async function outcome(event: ReturnType<typeof batch>, errors: Readonly<Record<string, unknown>>) {
  const told: string[] = [];
  const hidden: [string[], number][] = [];
  const log = testLog();
  const { batchItemFailures } = await deliverFifo(event, {
    codec: statusCodec,
    log,
    async tell(change) {
      const error = errors[textOf(change)];
      if (error !== undefined) throw error;
      told.push(textOf(change));
    },
    async hide(messages) {
      const [first] = messages;
      hidden.push([messages.map(({ record }) => record.messageId), first?.seconds ?? 0]);
    },
  });
  return {
    told,
    hidden,
    log,
    again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  };
}

test('after the first message of an order that fails, the rest of it is given back untried', async () => {
  const event = batch(['a', 1], ['b', 1], ['a', 2], ['a', 3], ['b', 2], ['a', 4]);
  const { told, again, hidden, log } = await outcome(event, { 'a 2': down });
  expect(told.toSorted()).toEqual(['a 1', 'b 1', 'b 2']);
  expect(again).toEqual(['a-2', 'a-3', 'a-4']);
  expect(hidden).toEqual([[['a-2', 'a-3', 'a-4'], 5]]);
  expect(log.lines).toEqual([
    {
      event: 'change-not-told',
      fields: { orderId: 'a', tries: 1, error: 'Webhook shop answered 503.' },
    },
  ]);
});

const asks = (retryAfterMs: number) =>
  new NotTold('webhook-refused', 'No.', { of: 'channel', retryAfterMs });

test.each<[string, number, unknown, number]>([
  ['the first time', 1, down, 5],
  ['the second time', 2, down, 10],
  ['the eighth time', 8, down, 640],
  ['the ninth time', 9, down, 900],
  ['the four hundredth time', 400, down, 900],
  ['by a receiver that asks for more', 1, asks(60_500), 61],
  ['by a receiver that asks for less', 8, asks(1_000), 640],
  ['by a receiver that asks for too much', 1, asks(86_400_000), 3_600],
  ['by an error that nobody foresaw', 1, new TypeError('x'), 5],
])('a message that failed %s waits within bounds', async (_, tries, error, seconds) => {
  const { hidden } = await outcome(batch(['a', 1, tries]), { 'a 1': error });
  expect(hidden).toEqual([[['a-1'], seconds]]);
});

test('a message that cannot be read is kept, and holds up its own order alone', async () => {
  const { Records: records } = batch(['a', 1], ['a', 2], ['b', 1]);
  const [first, ...rest] = records;
  if (first === undefined) throw new Error('there are three');
  const { told, again } = await outcome({ Records: [{ ...first, body: '{}' }, ...rest] }, {});
  expect(told).toEqual(['b 1']);
  expect(again).toEqual(['a-1', 'a-2']);
});

test('where hiding fails, the messages are given back all the same', async () => {
  const log = testLog();
  const { batchItemFailures } = await deliverFifo(batch(['a', 1], ['a', 2]), {
    codec: statusCodec,
    log,
    tell: () => Promise.reject(down),
    hide: () => Promise.reject(new Error('no')),
  });
  expect(batchItemFailures).toHaveLength(2);
  expect(log.lines.map(({ event }) => event)).toEqual(['change-not-told', 'messages-not-hidden']);
});
