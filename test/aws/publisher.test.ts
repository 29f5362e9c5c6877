import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { awsPublisher } from '#aws/notifications/aws-publisher.ts';
import type { ResponseChannel } from '#aws/notifications/response-channel.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { type Change, changeOf } from '#core/model/change.ts';
import { agentName, orderId, stepName } from '#core/model/ids.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { answeringServer } from '../support/answering-server.ts';
import { newOrder } from '../support/orders.ts';
import { alert, respond } from '../support/publishing.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server.close());

function change(): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return found;
}

/** An event bus with this answer; returns the requests. */
async function bus(answer: object, status = 200) {
  const { received, url } = await answeringServer((response) => {
    response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(answer));
  });
  return { received, client: eventBridgeClient({ endpoint: url }) };
}

async function publisher(answer: object = { FailedEntryCount: 0, Entries: [{}] }, status = 200) {
  const shop = await server.queue();
  const { received, client } = await bus(answer, status);
  const of = awsPublisher({
    sqs: server.client(),
    eventBridge: client,
    eventBus: 'default',
    deployment: 'reeve-test',
    command: 'npx reeve',
    responseChannels: { shop: { kind: 'queue', url: shop }, feed: { kind: 'events' } },
  });
  return { of, shop, received };
}

test('a status message goes to the registered queue, whole', async () => {
  const { of, shop } = await publisher();
  await respond(of, 'shop', change());
  const { Messages = [] } = await server
    .client()
    .send(new ReceiveMessageCommand({ QueueUrl: shop }));
  expect(statusCodec.decode(Messages[0]?.Body ?? '')).toEqual({
    kind: 'message',
    message: change(),
  });
});

// A channel may have the name of a property that every object has.
test.each(['elsewhere', 'constructor'])(
  'a response queue %s that is no longer registered is an error, and nothing is sent',
  async (name) => {
    const { of } = await publisher();
    await expect(respond(of, name, change())).rejects.toMatchObject({
      code: 'reply-to-unknown',
      message: expect.stringContaining(
        'Register it again: its undelivered messages are kept and retried.',
      ),
    });
  },
);

test('a channel of events is notified by the bus, with the whole status and the channel’s name', async () => {
  const { of, received } = await publisher();
  await respond(of, 'feed', change());
  const [entry] = JSON.parse(received[0]?.body ?? '{}').Entries;
  const { Detail, ...known } = entry;
  expect(known).toEqual({ EventBusName: 'default', Source: 'reeve', DetailType: 'Order status' });
  expect(JSON.parse(Detail)).toEqual({
    deployment: 'reeve-test',
    channel: 'feed',
    status: { version: 1, kind: 'status', ...change(), replyTo: 'feed' },
  });
});

test('a status that the bus rejects does not count as delivered', async () => {
  const { of } = await publisher({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'Throttled' }] });
  await expect(respond(of, 'feed', change())).rejects.toMatchObject({ code: 'event-unsent' });
});

/** An order that is in Error after its third attempt. */
function stopped(message = 'The card was declined.'): Change {
  const at = Date.UTC(2026, 0, 1, 12);
  const fault = { code: 'card-declined', message, effect: 'none' } as const;
  return {
    ...change(),
    processState: 'Error',
    fault: { ...fault, step: stepName('charge'), action: 'perform' },
    tried: { agent: agentName('payment'), attempts: 3, coolDowns: 1, since: at - 120_000 },
    at,
  };
}

test('an alert has the order, the failure, the attempts and the remedy, as fields and as text', async () => {
  const { of, received } = await publisher();
  await alert(of, stopped());
  const [entry] = JSON.parse(received[0]?.body ?? '{}').Entries;
  expect(JSON.parse(entry.Detail)).toEqual({
    deployment: 'reeve-test',
    orderId: 'one',
    workflow: 'house',
    workflowVersion: 1,
    sequence: 1,
    fault: stopped().fault,
    tried: { agent: 'payment', attempts: 3, coolDowns: 1, since: Date.UTC(2026, 0, 1, 11, 58) },
    tenant: null,
    correlationId: 'po-7',
    remedy: 'npx reeve resubmit one',
    at: '2026-01-01T12:00:00.000Z',
    text: 'Order one (po-7) needs an operator: step charge: The card was declined (card-declined), after 3 attempts and 1 cool-down, failing for 2 min.',
  });
});

test('the text of an alert contains nothing that would end the text of a rule', async () => {
  const { of, received } = await publisher();
  await alert(of, stopped('He said "no" \\o/\nand left'));
  const [entry] = JSON.parse(received[0]?.body ?? '{}').Entries;
  expect(JSON.parse(entry.Detail).text).toContain('He said ”no” /o/ and left (card-declined)');
});

test('an alert has the deployment, the order and the remedy', async () => {
  const { of, received } = await publisher();
  await alert(of, change());
  const [entry] = JSON.parse(received[0]?.body ?? '{}').Entries;
  expect(entry).toMatchObject({ Source: 'reeve', DetailType: 'Order in Error' });
  expect(JSON.parse(entry.Detail)).toMatchObject({
    deployment: 'reeve-test',
    orderId: 'one',
    remedy: 'npx reeve resubmit one',
  });
});

test('alerts of different orders share a request', async () => {
  const { of, received } = await publisher({ FailedEntryCount: 0, Entries: [{}, {}] });
  const alerts = ['one', 'two'].map((id) => ({ ...stopped(), orderId: orderId(id) }));
  await of.publish(alerts.map((one) => ({ audience: 'operator', change: one })));
  expect(received).toHaveLength(1);
});

test('an alert that the bus rejects does not count as delivered', async () => {
  const { of } = await publisher({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'Throttled' }] });
  await expect(alert(of, change())).rejects.toMatchObject({
    code: 'event-unsent',
  });
});

test('an unavailable bus is an error', async () => {
  const { of } = await publisher({ __type: 'InternalException' }, 400);
  await expect(alert(of, change())).rejects.toMatchObject({
    code: 'aws-unavailable',
    message: expect.stringContaining('EventBridge call failed: InternalException'),
  });
});

test.each([{ FailedEntryCount: 0 }, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] }])(
  'the answer %j of a bus accepts the event',
  async (answer) => {
    const { of } = await publisher(answer);
    await expect(alert(of, change())).resolves.toBeUndefined();
  },
);

test('each notification has its result at its index, and a rejected one delays no other', async () => {
  const { of, received, shop } = await publisher({
    FailedEntryCount: 1,
    Entries: [{ EventId: 'e' }, { ErrorCode: 'Throttled' }],
  });
  const to = (replyTo: string | null) => ({ ...change(), replyTo });
  const results = await of.publish([
    { audience: 'submitter', change: to('shop') },
    { audience: 'submitter', change: to('feed') },
    { audience: 'submitter', change: to('elsewhere') },
    { audience: 'operator', change: to('feed') },
    { audience: 'submitter', change: to(null) },
  ]);
  const unknown = { kind: 'failed', error: { code: 'reply-to-unknown' } };
  expect(results).toMatchObject([
    { kind: 'delivered' },
    { kind: 'delivered' },
    unknown,
    {
      kind: 'failed',
      error: { code: 'event-unsent', message: 'EventBridge rejected an event: Throttled.' },
    },
    unknown,
  ]);
  // Notifications of one order to submitter and operators are independent.
  expect(received).toHaveLength(1);
  const { Messages = [] } = await server
    .client()
    .send(new ReceiveMessageCommand({ QueueUrl: shop }));
  expect(Messages).toHaveLength(1);
});

test.each<[ResponseChannel['kind'], object]>([
  ['queue', {}],
  // In sequence for each order; SQS drops what the stream delivers twice.
  ['webhook', { MessageGroupId: 'one', MessageDeduplicationId: 'one-1' }],
])('a status has its group and id in a channel of the kind %s', async (kind, place) => {
  const { calls, url } = await answeringAws(() => ({}));
  const shop = 'https://sqs.us-east-1.amazonaws.com/123456789012/shop';
  const { client } = await bus({});
  const of = awsPublisher({
    sqs: sqsClient({ endpoint: url }),
    eventBridge: client,
    eventBus: 'default',
    deployment: 'reeve-test',
    command: 'npx reeve',
    responseChannels: { shop: kind === 'events' ? { kind } : { kind, url: shop } },
  });
  await respond(of, 'shop', change());
  const MessageBody = statusCodec.encode({ ...change(), replyTo: 'shop' });
  expect(calls).toEqual([
    {
      operation: 'SendMessageBatch',
      input: { QueueUrl: shop, Entries: [{ Id: '0', MessageBody, ...place }] },
    },
  ]);
});
