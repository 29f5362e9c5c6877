/**
 * The unmodified app, deployed by the unmodified CDK: every scenario is checked to the unit against the suppliers'
 * ledger.
 */
import { readFileSync } from 'node:fs';
import { PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { idempotencyKey, orderId as idOf, stepName } from '#core/model/ids.ts';
import { reconcile } from '../crash/reconcile.ts';
import type { Ended } from '../crash/submitter.ts';
import { bootstrap, type CdkApp, deploy, destroy } from './cdk.ts';
import { commandLine } from './command-line.ts';
import { type BreakableSuppliers, breakableSuppliers, Deployed } from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

const order = JSON.parse(readFileSync('examples/order.json', 'utf8'));
const amountCents = 5_160;
const account = '000000000000';
/** A missing secret: this webhook cannot sign. */
const secretArn = `arn:aws:secretsmanager:us-east-1:${account}:secret:crm-AbCdEf`;
const arnOf = (queue: string) => `arn:aws:sqs:us-east-1:${account}:${queue}`;

let cloud: MiniStack;
let suppliers: BreakableSuppliers;
let app: CdkApp;
let reeve: Deployed;
let shop: string;
let alerts: string;
let feed: string;

/** Every order of this suite and how it ended, for the ledger. */
const ends: Ended[] = [];

beforeAll(async () => {
  suppliers = await breakableSuppliers();
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  [shop, alerts, feed] = await listeners(cloud);
  app = {
    stack: 'Reeve',
    context: {
      stage: 'dev',
      services: suppliers.services,
      responseQueues: JSON.stringify({ shop: arnOf('shop') }),
      eventChannels: JSON.stringify(['feed']),
      webhooks: JSON.stringify({ crm: { url: 'https://127.0.0.1:9/', secretArn } }),
    },
  };
  await bootstrap(cloud.env);
  reeve = new Deployed(cloud, await deploy(app, cloud.env));
});

afterAll(async () => {
  try {
    await destroy('reeve-dev');
  } finally {
    await cloud.close();
    await suppliers.close();
  }
});

beforeEach(() => suppliers.reset());

/** The receivers beside Reeve: a queue for status messages, and queues for alerts and events. */
async function listeners({ endpoint }: MiniStack): Promise<[string, string, string]> {
  const sqs = sqsClient({ endpoint });
  const urls: string[] = [];
  for (const QueueName of ['shop', 'alerts', 'feed']) {
    urls.push((await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? '');
  }
  const events = eventBridgeClient({ endpoint });
  for (const [queue, type] of [
    ['alerts', 'Order in Error'],
    ['feed', 'Order status'],
  ] as const) {
    const pattern = { source: ['reeve'], 'detail-type': [type] };
    const Rule = `hear-${queue}`;
    await events.send(new PutRuleCommand({ Name: Rule, EventPattern: JSON.stringify(pattern) }));
    const Targets = [{ Id: 'queue', Arn: arnOf(queue) }];
    await events.send(new PutTargetsCommand({ Rule, Targets }));
  }
  return [urls[0] ?? '', urls[1] ?? '', urls[2] ?? ''];
}

const ended = (order: { processState: string }) =>
  ['Processed', 'Undone', 'Error'].includes(order.processState);

async function comesTo(orderId: string, processState: 'Processed' | 'Undone') {
  const found = await reeve.until(orderId, ended);
  expect(found).toMatchObject({ orderId, processState });
  ends.push({ orderId, processState, amountCents });
  return found;
}

test('an order is Processed without any sweep, and its effects exist once', async () => {
  const orderId = await reeve.submit(order);
  const found = await reeve.until(orderId, ended, false);
  expect(found).toMatchObject({ processState: 'Processed', failureCount: 0 });
  ends.push({ orderId, processState: 'Processed', amountCents });
});

test('a signing caller is in the history, and a caller without a signature is rejected', async () => {
  const orderId = await reeve.submit(order);
  const { history } = await reeve.order(orderId);
  expect(history[0]).toMatchObject({ type: 'submit', by: 'user/test' });
  for (const path of ['/orders', `/orders/${orderId}`, '/healthz', '/openapi.json']) {
    const { status } = await reeve.api('GET', path, undefined, { authorization: '' });
    expect([path, status]).toEqual([path, 403]);
  }
  await comesTo(orderId, 'Processed');
});

test('the same submission twice is one order, and other content is rejected (R2)', async () => {
  const first = await reeve.submit(order, 'once');
  expect(await reeve.submit(order, 'once')).toBe(first);
  const other = { ...order, tenant: undefined, priority: 'high' };
  const { status, body } = await reeve.api('POST', '/orders', other, { 'idempotency-key': 'once' });
  expect([status, body]).toMatchObject([409, { code: 'key-reused' }]);
  await comesTo(first, 'Processed');
});

test('200 orders at once all come to their end', async () => {
  const orderIds = await Promise.all(Array.from({ length: 200 }, () => reeve.submit(order)));
  for (const orderId of orderIds) await comesTo(orderId, 'Processed');
});

test('a declined payment is undone completely', async () => {
  await suppliers.set('payment', { declineRate: 1 });
  await comesTo(await reeve.submit(order), 'Undone');
});

test('an agent whose function throws is recovered by the Supervisor', async () => {
  const restore = await reeve.reconfigure('agent payment', { REEVE_SERVICE_URL: 'no address' });
  const orderId = await reeve.submit(order);
  const waiting = await reeve.until(orderId, ({ failureCount }) => failureCount > 0);
  expect(waiting.steps['charge']?.state).not.toBe('Completed');
  await restore();
  const found = await comesTo(orderId, 'Processed');
  expect(found.steps['charge']?.attempt).toBeGreaterThan(1);
});

test('duplicated requests and replies change nothing (R5, R6)', async () => {
  const orderId = await reeve.submit(order);
  const reply = replyCodec.encode({
    orderId: idOf(orderId),
    step: stepName('reserve'),
    attempt: 1,
    action: 'perform',
    result: { kind: 'succeeded', output: { reservationId: 'res_doubled' } },
  });
  // The first of these may count; the ledger shows that none of them is performed.
  for (let times = 0; times < 5; times += 1) {
    await reeve.send(reeve.source('Agent-inventory-Replies'), reply);
  }
  const request = JSON.stringify({
    version: 1,
    kind: 'request',
    orderId,
    workflow: 'order-fulfilment',
    step: 'charge',
    agent: 'payment',
    attempt: 1,
    action: 'perform',
    idempotencyKey: idempotencyKey(idOf(orderId), stepName('charge'), 'perform', 1),
    performKey: idempotencyKey(idOf(orderId), stepName('charge'), 'perform', 1),
    completeBy: Date.now() + 60_000,
    completeWithinMs: 60_000,
    endBy: Date.now() + 60_000,
    input: { orderId, amountCents, currency: 'EUR', token: 'tok_visa' },
    output: null,
    priority: 'normal',
    tenant: null,
  });
  const found = await comesTo(orderId, 'Processed');
  for (let times = 0; times < 5; times += 1) {
    await reeve.send(reeve.source('Agent-payment-Requests'), request);
  }
  const nudge = JSON.stringify({ version: 1, kind: 'nudge', orderId, priority: 'normal' });
  for (let times = 0; times < 5; times += 1) await reeve.send(reeve.source('Ready'), nudge);
  // A further order uses the same queues: when it has ended, the duplicates before it were handled.
  await comesTo(await reeve.submit(order), 'Processed');
  expect((await reeve.order(orderId)).history).toEqual(found.history);
});

test.each([
  ['Ready', 'no JSON at all', 'is not valid JSON'],
  ['Agent-payment-Requests', '{"version":0,"kind":"request"}', 'version 1'],
  ['Agent-inventory-Replies', '{"version":1,"kind":"reply","orderId":"../x"}', 'orderId'],
  ['Ready', '{"version":1,"kind":"nudge","orderId":"nobody","priority":"low"}', 'unknown-order'],
])('a poison message in %s is parked with the reason (R19)', async (queue, body, reason) => {
  await reeve.send(reeve.source(queue), body);
  const [message] = await reeve.take(reeve.dead(queue), ({ length }) => length > 0);
  expect(message?.Body).toBe(body);
  expect(message?.MessageAttributes?.['Reason']?.StringValue).toContain(reason);
});

test('an Error raises an alert, and after a resubmit the order is Processed (R17)', async () => {
  await suppliers.set('shipping', { declineRate: 1 });
  const orderId = await reeve.submit({ ...order, correlationId: 'cart-13' });
  const stopped = await reeve.until(orderId, ended);
  expect(stopped).toMatchObject({ processState: 'Error', fault: { code: expect.any(String) } });
  const heard = await reeve.take(alerts, ({ length }) => length > 0);
  const event = JSON.parse(heard[0]?.Body ?? '{}');
  expect(event.detail).toMatchObject({
    deployment: 'reeve-dev',
    orderId,
    fault: { step: 'ship' },
    remedy: `npx reeve --stack reeve-dev resubmit ${orderId}`,
    tried: { agent: 'shipping', attempts: expect.any(Number) },
    correlationId: 'cart-13',
    text: expect.stringContaining(`Order ${orderId} (cart-13) needs an operator: step ship:`),
  });
  await suppliers.reset();
  expect((await reeve.api('POST', `/orders/${orderId}/resubmit`)).status).toBe(202);
  await comesTo(orderId, 'Processed');
});

test('status messages come in sequence to the registered queue, and only there (R18)', async () => {
  const orderId = await reeve.submit({ ...order, replyTo: 'shop' });
  await comesTo(orderId, 'Processed');
  const messages = await reeve.take(shop, ({ length }) => length >= 3);
  const told = messages.map(({ Body }) => statusCodec.decode(Body ?? ''));
  const changes = told.flatMap((one) => (one.kind === 'message' ? [one.message] : []));
  expect(changes.map((change) => change.orderId)).toEqual([orderId, orderId, orderId]);
  const inOrder = changes.toSorted((a, b) => a.sequence - b.sequence);
  expect(inOrder.map(({ processState }) => processState)).toEqual([
    'Pending',
    'Processing',
    'Processed',
  ]);
  const refused = await reeve.api('POST', '/orders', { ...order, replyTo: 'elsewhere' });
  expect([refused.status, refused.body]).toMatchObject([422, { code: 'reply-to-unknown' }]);
});

test('a channel of events is notified by the bus', async () => {
  const orderId = await reeve.submit({ ...order, replyTo: 'feed', correlationId: 'cart-18' });
  await comesTo(orderId, 'Processed');
  const heard = await reeve.take(feed, ({ length }) => length >= 3);
  const details = heard.map(({ Body }) => JSON.parse(Body ?? '{}').detail);
  for (const detail of details) {
    expect(detail).toMatchObject({
      deployment: 'reeve-dev',
      channel: 'feed',
      status: { orderId, correlationId: 'cart-18' },
    });
  }
});

test('an unavailable webhook delays no order, and its undelivered messages stay in its queue', async () => {
  const orderId = await reeve.submit({ ...order, replyTo: 'crm' });
  await comesTo(orderId, 'Processed');
  expect(await reeve.held(reeve.source('Webhook-crm'), 3)).toBe(3);
});

test('four Supervisors at once count each failure once (R11)', async () => {
  await suppliers.set('fraud', { hangRate: 1 });
  const orderIds = await Promise.all(Array.from({ length: 5 }, () => reeve.submit(order)));
  await reeve.pastDue(orderIds);
  await Promise.all(Array.from({ length: 4 }, () => reeve.sweep()));
  for (const orderId of orderIds) {
    const { history, failureCount } = await reeve.order(orderId);
    const expired = history.flatMap(({ type, steps = [] }) => (type === 'expired' ? steps : []));
    expect(expired.length).toBeGreaterThan(0);
    expect(failureCount).toBe(expired.length);
  }
  await suppliers.reset();
  await Promise.all(orderIds.map((orderId) => comesTo(orderId, 'Processed')));
});

test('the API reports that the Supervisor runs, and lists the orders', async () => {
  await reeve.sweep();
  expect(await reeve.api('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { status: 'ready' },
  });
  const { body } = await reeve.api('GET', '/orders?limit=3');
  expect(body).toMatchObject({ orders: [{}, {}, {}], cursor: expect.any(String) });
});

test('the command line finds the stack, and redrives by state', async () => {
  const stack = ['--stack', 'reeve-dev'];
  const listed = await commandLine(reeve, 'list', '--json', '--limit', '1', ...stack);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  const [{ orderId }] = JSON.parse(listed.stdout).orders;
  // A nudge for an ended order, as the queue's own redrive would send it.
  const nudge = JSON.stringify({ version: 1, kind: 'nudge', orderId, priority: 'normal' });
  await reeve.send(reeve.dead('Ready'), nudge);
  await reeve.send(reeve.dead('Ready'), 'rubbish');
  const done = await commandLine(reeve, 'dlq', 'redrive', '--yes', ...stack);
  expect(done.stdout).toContain('The order is Processed.');
  expect(done.stdout).toContain('2 in all: 1 deleted, 1 kept.');
});

test('the ledger agrees to the unit with every order of this suite', async () => {
  const { faults, counts } = await reconcile(ends, suppliers.url);
  expect(faults).toEqual([]);
  expect(counts).toMatchObject({
    processed: ends.length - 1,
    undone: 1,
    centsCharged: counts['centsDue'],
  });
});
