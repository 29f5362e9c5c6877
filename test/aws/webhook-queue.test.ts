/** The queue of a webhook on an SQS server, from the publisher to a receiver that fails and recovers. */
import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { awsPublisher } from '#aws/notifications/aws-publisher.ts';
import type { DeadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { discard, readDeadLetters, sendBack } from '#aws/operator/dead-letters.ts';
import { deliverFifo, type FifoConsumer } from '#aws/queues/fifo-batch.ts';
import { type Hide, hideMessages } from '#aws/queues/hide-messages.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import type { Change } from '#core/model/change.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { changeFor, down, textOf } from '../support/changes.ts';
import { testLog } from '../support/log.ts';
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
  const notify = (id: string, sequence: number) =>
    respond(publisher, 'shop', changeFor(id, sequence));
  return { queue, dead, notify };
}

/** Works as Lambda's poller: receives a batch, runs the function, deletes what it does not return. */
async function poll(
  queue: string,
  consumer: Pick<FifoConsumer<Change>, 'deliver' | 'hide'>,
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
    { ...consumer, codec: statusCodec, log: testLog(), clock: systemClock },
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

/** Hidden messages are delivered again at once, so that no test waits. */
const atOnce: Hide = (messages) =>
  hideMessages(client)(messages.map(({ record }) => ({ record, seconds: 0 })));

test('an unavailable receiver loses no status: all arrive when it recovers, in sequence for each order', async () => {
  const { queue, notify } = await webhookQueue();
  const orders = Array.from({ length: 8 }, (_, at) => `order-${at}`);
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    for (const id of orders) await notify(id, sequence);
  }
  const tried = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    await poll(queue, {
      hide: atOnce,
      async deliver(change) {
        tried.add(textOf(change));
        throw down;
      },
    });
  }
  expect([...tried].every((text) => text.endsWith(' 1'))).toBe(true);

  const delivered: Change[] = [];
  const works = async (change: Change) => {
    delivered.push(change);
  };
  while ((await poll(queue, { hide: atOnce, deliver: works })) > 0);
  expect(delivered).toHaveLength(32);
  for (const id of orders) {
    const own = delivered.filter((change) => change.orderId === id);
    expect(own).toEqual([1, 2, 3, 4].map((sequence) => changeFor(id, sequence)));
  }
});

test('a change that the stream delivers twice is delivered once', async () => {
  const { queue, notify } = await webhookQueue();
  await notify('one', 1);
  await notify('one', 1);
  const delivered: string[] = [];
  const note = async (change: Change) => {
    delivered.push(textOf(change));
  };
  while ((await poll(queue, { hide: atOnce, deliver: note })) > 0);
  expect(delivered).toEqual(['one 1']);
});

test('after days a status is a dead letter of its channel, and is sent back in sequence', async () => {
  const { queue, dead, notify } = await webhookQueue(2);
  for (const sequence of [1, 2, 3]) await notify('one', sequence);
  const fails = async () => {
    throw down;
  };
  for (let round = 0; round < 9; round += 1) {
    await poll(queue, { hide: atOnce, deliver: fails });
  }
  const queues: DeadLetterQueues = {
    'Webhook-shop': { kind: 'status', dead, sources: { normal: queue } },
  };
  // A FIFO queue shows no more of an order while a message of it is hidden, so one read may not return all.
  const sent: unknown[] = [];
  for (let looks = 0; looks < 4; looks += 1) {
    const { deadLetters } = await readDeadLetters(client, queues);
    for (const deadLetter of deadLetters) await sendBack(client, deadLetter);
    sent.push(...deadLetters.map(({ kind, subject, wasParked }) => ({ kind, subject, wasParked })));
  }
  expect(sent).toMatchObject(
    [1, 2, 3].map((sequence) => ({
      kind: 'status',
      subject: { orderId: 'one', sequence },
      wasParked: false,
    })),
  );
  const delivered: string[] = [];
  const note = async (change: Change) => {
    delivered.push(textOf(change));
  };
  while ((await poll(queue, { hide: atOnce, deliver: note })) > 0);
  expect(delivered).toEqual(['one 1', 'one 2', 'one 3']);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
});
