import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { awsPublisher } from '#aws/aws-publisher.ts';
import { callerOf } from '#aws/caller.ts';
import { eventBridgeClient } from '#aws/clients.ts';
import { type Change, changeOf } from '#core/change.ts';
import { statusCodec } from '#core/message-codec.ts';
import { newOrder } from '../support/orders.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server.close());

function change(): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop').record);
  if (found === null) throw new Error('a new order is a change');
  return found;
}

/** An event bus that answers as it is told; gives what it was sent. */
async function bus(answer: object) {
  const bodies: string[] = [];
  const events = createServer(async (request, response) => {
    bodies.push(await text(request));
    response
      .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(events, 'listening');
  onTestFinished(() => {
    events.closeAllConnections();
    events.close();
  });
  const address = events.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { bodies, client: eventBridgeClient({ endpoint: `http://127.0.0.1:${port}` }) };
}

async function publisher(answer: object = { FailedEntryCount: 0 }) {
  const shop = await server.queue();
  const { bodies, client } = await bus(answer);
  const of = awsPublisher({
    sqs: server.client(),
    eventBridge: client,
    eventBus: 'default',
    deployment: 'reeve-test',
    responseQueues: { shop },
  });
  return { of, shop, bodies };
}

test('a status message goes to the registered queue, whole', async () => {
  const { of, shop } = await publisher();
  await of.respond('shop', change());
  const { Messages = [] } = await server
    .client()
    .send(new ReceiveMessageCommand({ QueueUrl: shop }));
  expect(statusCodec.decode(Messages[0]?.Body ?? '')).toEqual({
    kind: 'message',
    message: change(),
  });
});

test('a response queue that is not registered any more is an error, and nothing is sent', async () => {
  const { of } = await publisher();
  await expect(of.respond('elsewhere', change())).rejects.toMatchObject({
    code: 'reply-to-unknown',
  });
});

test('an alert says which deployment, which order, and what to do', async () => {
  const { of, bodies } = await publisher();
  await of.alert({ change: change(), remedy: 'reeve resubmit one' });
  const [entry] = JSON.parse(bodies[0] ?? '{}').Entries;
  expect(entry).toMatchObject({ Source: 'reeve', DetailType: 'Order in Error' });
  expect(JSON.parse(entry.Detail)).toMatchObject({
    deployment: 'reeve-test',
    orderId: 'one',
    remedy: 'reeve resubmit one',
  });
});

test('an alert that the bus answers with a failure is not taken for told', async () => {
  const { of } = await publisher({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'Throttled' }] });
  await expect(of.alert({ change: change(), remedy: '' })).rejects.toMatchObject({
    code: 'alert-unsent',
  });
});

const requestContext = (authorizer: unknown) => ({ requestContext: { authorizer } });

test.each([
  [
    requestContext({ iam: { userArn: 'arn:aws:sts::1:assumed-role/ops/ada' } }),
    'assumed-role/ops/ada',
  ],
  [requestContext({ jwt: { claims: { sub: 'user-7' } } }), 'user-7'],
  [requestContext({ iam: { userArn: `arn:aws:iam::1:user/${'x'.repeat(200)}` } }), 'x'.repeat(100)],
  [requestContext({}), 'api'],
  [undefined, 'api'],
])('the caller of %j is %s', (env, name) => {
  expect(callerOf(env)).toBe(name);
});
