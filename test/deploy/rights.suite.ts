/**
 * Each call of a function is allowed by its role on that very resource, and each grant of a role is used. No
 * emulator enforces IAM, so the calls of a deployment that exercises everything are recorded, and the deployed
 * policies are evaluated against them.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import {
  agentName,
  idempotencyKey,
  orderId as idOf,
  stepName,
  workflowName,
} from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { type CountedService, countedService } from './counted-service.ts';
import {
  type BreakableSuppliers,
  breakableSuppliers,
  Deployed,
  type DeployedOrder,
} from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';
import type { Call } from './rights/calls.ts';
import { evaluate } from './rights/evaluation.ts';
import { type RecordingProxy, recordingProxy } from './rights/recording-proxy.ts';
import {
  callsOfLambda,
  type DeployedFunction,
  deployedFunctions,
  grantsOf,
} from './rights/roles.ts';
import { account } from './rights/template.ts';

const small = JSON.parse(readFileSync('examples/order.json', 'utf8'));
const [line] = small.details.lines;
/** Its details are an item of their own, so that the rights on the table of orders are used. */
const order = {
  ...small,
  details: { ...small.details, lines: Array.from({ length: 40 }, () => line) },
};
const secretArn = `arn:aws:secretsmanager:us-east-1:${account}:secret:crm-AbCdEf`;

const stackName = 'reeve-rights';

let cloud: MiniStack;
let suppliers: BreakableSuppliers;
let counted: CountedService;
let proxy: RecordingProxy;
let reeve: Deployed;
let functions: readonly DeployedFunction[];

beforeAll(async () => {
  suppliers = await breakableSuppliers();
  counted = await countedService(0);
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  proxy = await recordingProxy(cloud);
  await sqsClient({ endpoint: cloud.endpoint }).send(new CreateQueueCommand({ QueueName: 'shop' }));
  const context = {
    stage: 'dev',
    shards: '1',
    services: JSON.stringify({ ...JSON.parse(suppliers.services), counted: counted.url }),
    priorities: JSON.stringify(['high', 'normal']),
    submissionQueue: 'true',
    responseQueues: JSON.stringify({ shop: `arn:aws:sqs:us-east-1:${account}:shop` }),
    eventChannels: JSON.stringify(['feed']),
    webhooks: JSON.stringify({ crm: { url: 'https://127.0.0.1:9/', secretArn } }),
  };
  await bootstrap(cloud.env);
  const app = { app: 'node test/deploy/rights-app.ts', stack: 'Rights', context };
  reeve = new Deployed(cloud, await deploy(app, cloud.env));
  functions = await deployedFunctions(reeve.lambda);
  for (const { name } of functions) {
    await reeve.reconfigure(name, { AWS_ENDPOINT_URL: proxy.endpointOf(name) });
  }
});

afterAll(async () => {
  try {
    await destroy(stackName);
  } finally {
    proxy.close();
    await cloud.close();
    await suppliers.close();
    counted.close();
  }
});

const isIn = (state: string) => (found: { readonly processState: string }) =>
  found.processState === state;

test('orders of every priority and channel come to every end', async () => {
  for (const replyTo of ['shop', 'feed', 'crm']) {
    for (const priority of ['high', 'normal']) {
      await reeve.until(await reeve.submit({ ...order, replyTo, priority }), isIn('Processed'));
    }
  }
  await reeve.until(await reeve.submit(small), isIn('Processed'));
  await suppliers.set('payment', { declineRate: 1 });
  await reeve.until(await reeve.submit(order), isIn('Undone'));
  await suppliers.reset();
  await suppliers.set('shipping', { declineRate: 1 });
  const stopped = await reeve.submit(order);
  await reeve.until(stopped, isIn('Error'));
  for (const path of ['/orders?state=Error', '/orders?correlationId=x', '/orders', '/healthz']) {
    expect((await reeve.api('GET', path)).status).toBe(200);
  }
  await suppliers.reset();
  expect((await reeve.api('POST', `/orders/${stopped}/resubmit`)).status).toBe(202);
  await reeve.until(stopped, isIn('Processed'));
});

test('a submission by the queue is stored, and recognised when it is delivered again', async () => {
  const document = { ...order, priority: 'high', tenant: null, replyTo: null, correlationId: null };
  const body = submissionCodec.encode({ ...document, key: 'by-queue' });
  for (const action of ['dynamodb:PutItem', 'dynamodb:BatchGetItem']) {
    await reeve.send(reeve.source('Submission'), body);
    await called((call) => call.caller === 'submission by queue' && call.action === action);
  }
});

/** The emulator starts a function per call, at some ten calls per second. */
const patience = { timeout: 90_000, interval: 500 };

const called = (by: (call: Call) => boolean) =>
  vi.waitFor(() => expect(proxy.calls().some(by)).toBe(true), patience);

/** The queues that functions consume, and where each parks unreadable messages. */
const queues = () =>
  Object.entries(reeve.deadLetterQueues).flatMap(([name, { kind, dead, sources }]) =>
    worked.has(kind) && name !== 'Agent-manual-Requests'
      ? Object.values(sources ?? {}).map((source) => ({ name, kind, dead, source }))
      : [],
  );
const worked = new Set(['nudge', 'request', 'reply', 'submission']);

test('each function parks unreadable messages', async () => {
  expect(queues().length).toBe(19);
  for (const { source } of queues()) await reeve.send(source, 'no JSON');
  for (const { dead } of queues()) {
    const senders = queues().filter((queue) => queue.dead === dead);
    expect(await reeve.held(dead, senders.length)).toBe(senders.length);
  }
});

test('each function hides messages that it cannot handle now', async () => {
  const orderId = idOf('nobody');
  const step = stepName('charge');
  const key = idempotencyKey(orderId, step, 'perform', 1);
  const soon = { completeBy: Date.now() + 120_000, completeWithinMs: 120_000 };
  const common = { orderId, step, attempt: 1, action: 'perform' } as const;
  const bodies: Readonly<Record<string, (name: string) => string>> = {
    nudge: () => nudgeCodec.encode({ orderId, priority: 'normal' }),
    reply: () => replyCodec.encode({ ...common, result: { kind: 'heartbeat' } }),
    submission: () => submissionCodec.encode({ ...order, key: 'hidden', tenant: null, ...alone }),
    request: (name) =>
      requestCodec.encode({
        ...common,
        ...soon,
        workflow: workflowName('order-fulfilment'),
        agent: agentName(/^Agent-([a-z]+)-/.exec(name)?.[1] ?? ''),
        idempotencyKey: key,
        performKey: key,
        endBy: soon.completeBy,
        // The agent rejects this itself, and cannot send the reply.
        input: null,
        output: null,
        priority: 'normal',
        tenant: null,
      }),
  };
  const allow = proxy.refuse(
    ({ caller, action }) =>
      action.startsWith('dynamodb:') ||
      (caller.startsWith('agent ') && action === 'sqs:SendMessage'),
  );
  for (const { name, kind, source } of queues())
    await reeve.send(source, bodies[kind]?.(name) ?? '');
  for (const { source } of queues()) {
    const queue = source.split('/').at(-1) ?? '';
    await called(
      ({ action, resource }) =>
        action === 'sqs:ChangeMessageVisibility' && resource.endsWith(`:${queue}`),
    );
  }
  allow();
});

const alone = { priority: 'normal', replyTo: null, correlationId: null } as const;

test('messages that a response queue rejects are queued, and hidden until it accepts them', async () => {
  const allow = proxy.refuse(
    ({ caller, resource }) => caller === 'notifier' && resource.endsWith(':shop'),
  );
  const orderId = await reeve.submit({ ...order, replyTo: 'shop' });
  await reeve.until(orderId, isIn('Processed'));
  await called(
    ({ caller, action }) => caller === 'notifier' && action === 'sqs:ChangeMessageVisibility',
  );
  allow();
});

test('overdue orders are recovered, and a waiting order accepts its last reply', async () => {
  await suppliers.set('fraud', { hangRate: 1 });
  const overdue = [await reeve.submit({ ...order, priority: 'high' }), await reeve.submit(order)];
  const branches = { workflow: 'two-branches', details: {} };
  const waiting = [
    await reeve.submit({ ...branches, priority: 'high' }),
    await reeve.submit({ ...branches, priority: 'normal' }),
  ];
  await reeve.pastDue([...overdue, ...waiting]);
  await suppliers.reset();
  for (const orderId of overdue) await reeve.until(orderId, isIn('Processed'));
  for (const waits of waiting) {
    await reeve.until(waits, ({ failureCount }) => failureCount > 0);
    const fault = { code: 'declined', message: 'No.', effect: 'none' } as const;
    const failed = { orderId: idOf(waits), step: stepName('slow'), attempt: 1 };
    await reeve.send(
      reeve.source('Agent-manual-Replies'),
      replyCodec.encode({ ...failed, action: 'perform', result: { kind: 'failed', fault } }),
    );
    await reeve.until(waits, isIn('Undone'));
  }
});

test('the queues of an agent that is behind are counted', async () => {
  const behind = await reeve.submit(order);
  await reeve.until(behind, isIn('Processed'));
  const isCounted = (agent: string) =>
    proxy
      .calls()
      .some(
        ({ action, resource }) =>
          action === 'sqs:GetQueueAttributes' && resource.endsWith(`_normal_${agent}`),
      );
  const documents = {
    ...{ fraud: order, inventory: order, payment: order, shipping: order },
    ...{ counted: limited, manual: { workflow: 'two-branches', details: {} } },
  };
  for (const [agent, document] of Object.entries(documents)) {
    // Repeated, because the instance that learns of it from the reply need not be the one that makes the next call.
    await vi.waitFor(
      async () => {
        for (const gate of ['concurrency', 'circuit'] as const) {
          const reply = replyCodec.encode({
            orderId: idOf(behind),
            step: stepName('charge'),
            attempt: 1,
            action: 'perform',
            result: { kind: 'deferred', gate, retryAfterMs: 1_000 },
          });
          await reeve.send(reeve.source(`Agent-${agent}-Replies`), reply);
        }
        await reeve.submit(document);
        expect(isCounted(agent)).toBe(true);
      },
      { ...patience, interval: 2_000 },
    );
  }
});

test('the Scheduler notes that replies of an agent wait, and the Supervisor reads it of a late call', async () => {
  const seen = await reeve.submit(order);
  await reeve.until(seen, isIn('Processed'));
  const late = { orderId: idOf(seen), step: stepName('charge'), attempt: 1 } as const;
  const reply = replyCodec.encode({ ...late, action: 'perform', result: { kind: 'heartbeat' } });
  await reeve.send(reeve.source('Agent-payment-Replies'), reply, 2);
  const isDone = (verb: string, key: string) =>
    called((call) => call.action === `dynamodb:${verb}` && call.key === key);
  await isDone('UpdateItem', 'replies#payment');
  // A late call was found by the sweeps before.
  await isDone('GetItem', 'replies#manual');
});

test('the circuit of an unavailable service is shared, and what waits for it goes on', async () => {
  const orders: string[] = [];
  const opened = (agent: string) =>
    called(({ action, key }) => action === 'dynamodb:UpdateItem' && key === `circuit#${agent}`);
  for (const agent of ['fraud', 'inventory', 'payment', 'shipping']) {
    await suppliers.set(agent, { down: true });
    for (let count = 0; count < 6; count += 1) orders.push(await reeve.submit(order));
    await opened(agent);
    await suppliers.reset();
  }
  counted.setDown(true);
  for (let count = 0; count < 6; count += 1) orders.push(await reeve.submit(limited));
  await opened('counted');
  counted.setDown(false);
  for (const orderId of orders) await reeve.until(orderId, isIn('Processed'));
});

const limited = { workflow: 'limited', details: {} };

test('a call with limits has slots, and an agent leases one for a call that missed its own', async () => {
  const leased = (by: string) =>
    called(
      ({ caller, action, key = '' }) =>
        caller === by && action === 'dynamodb:UpdateItem' && key.startsWith('limit#counted/whole#'),
    );
  await reeve.until(await reeve.submit({ ...limited, priority: 'high' }), isIn('Processed'));
  const orderId = await reeve.submit(limited);
  await reeve.until(orderId, isIn('Processed'));
  await leased('Scheduler');
  const nowMs = Date.now();
  const step = stepName('call');
  const late = requestCodec.encode({
    ...{ orderId: idOf(orderId), workflow: workflowName('limited'), step, attempt: 1 },
    ...{ agent: agentName('counted'), action: 'perform', input: {}, output: null },
    idempotencyKey: idempotencyKey(idOf(orderId), step, 'perform', 1),
    performKey: idempotencyKey(idOf(orderId), step, 'perform', 1),
    ...{ completeBy: nowMs + 60_000, completeWithinMs: 60_000, endBy: nowMs + 60_000 },
    ...{ priority: 'normal', tenant: null },
    ...{ startAt: nowMs - 1_000, startBy: nowMs - 500 },
    slots: [{ name: 'counted/whole#late#rate', everyMs: 100 }],
  });
  await reeve.send(reeve.source('Agent-counted-Requests'), late);
  await leased('agent counted');
});

test('a drained agent gets no calls, and what waits for it goes on when it is resumed', async () => {
  const change = async (drained: boolean) =>
    expect((await reeve.api('POST', '/agents/fraud', { drained })).status).toBe(200);
  await change(true);
  // An instance that had no reason to read the settings lately reads them after ten seconds.
  await setTimeout(10_000);
  const waits = await reeve.submit(order);
  await reeve.until(waits, ({ steps }) =>
    Object.values(steps).some(({ state }) => state === 'Held'),
  );
  expect((await reeve.api('GET', '/agents')).status).toBe(200);
  await change(false);
  await reeve.until(waits, isIn('Processed'));
});

test('the Supervisor hands over a busy shard', async () => {
  const table = await tableOf('Scheduler', 'REEVE_PROCESSES_TABLE');
  const entries = Array.from({ length: limits.sweepPage + 1 }, (_, at) => `entry ${at}`);
  await writeAll(table, entries.map(indexed));
  await reeve.sweep();
  await writeAll(table, entries.map(deleted));
  await called(({ action }) => action === 'lambda:InvokeFunction');
});

/** A foreign entry of the due index: the Supervisor skips it, and counts it as work. */
const indexed = (id: string): WriteRequest => ({
  PutRequest: { Item: { OrderID: { S: id }, DueShard: { N: '0' }, DueAt: { N: '1' } } },
});
const deleted = (id: string): WriteRequest => ({ DeleteRequest: { Key: { OrderID: { S: id } } } });

async function writeAll(table: string, requests: readonly WriteRequest[]): Promise<void> {
  const dynamo = dynamoClient({ endpoint: cloud.endpoint });
  for (let at = 0; at < requests.length; at += 25) {
    const batch = { [table]: requests.slice(at, at + 25) };
    await dynamo.send(new BatchWriteItemCommand({ RequestItems: batch }));
  }
}

async function tableOf(name: string, variable: string): Promise<string> {
  const FunctionName = await reeve.functionNamed(name);
  const { Environment } = await reeve.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  return Environment?.Variables?.[variable] ?? '';
}

test('an order whose record has expired is deleted', async () => {
  const orderId = await reeve.submit(order);
  await reeve.until(orderId, isIn('Processed'));
  const table = await tableOf('Scheduler', 'REEVE_PROCESSES_TABLE');
  const Key = { OrderID: { S: orderId } };
  await dynamoClient({ endpoint: cloud.endpoint }).send(
    new DeleteItemCommand({ TableName: table, Key }),
  );
  await called(({ action, key }) => action === 'dynamodb:DeleteItem' && key === orderId);
});

test('an order waits for the one before it with its singleton key, and both leave their line', async () => {
  const document = { workflow: 'one-at-a-time', details: { cart: 'a' } };
  const [first, second] = [await reeve.submit(document), await reeve.submit(document)];
  const orders = await tableOf('Scheduler', 'REEVE_ORDERS_TABLE');
  const processes = await tableOf('Scheduler', 'REEVE_PROCESSES_TABLE');
  const dynamo = dynamoClient({ endpoint: cloud.endpoint });
  const keyOf = (id: string) => ({ OrderID: { S: id } });
  const stateOf = (state: string) => (found: { readonly steps: DeployedOrder['steps'] }) =>
    found.steps['work']?.state === state;
  await reeve.until(first, stateOf('Running'));
  await reeve.until(second, stateOf('Held'));
  for (const id of [first, second]) {
    await reeve.until(id, stateOf('Running'));
    const work = { orderId: idOf(id), step: stepName('work'), attempt: 1 };
    await reeve.send(
      reeve.source('Agent-manual-Replies'),
      replyCodec.encode({
        ...work,
        action: 'perform',
        result: { kind: 'succeeded', output: {} },
      }),
    );
    await reeve.until(id, isIn('Processed'));
  }
  const read = new GetItemCommand({ TableName: processes, Key: keyOf(first) });
  const line = `line#${(await dynamo.send(read)).Item?.['Line']?.S}`;
  const ofLine = new GetItemCommand({ TableName: orders, Key: keyOf(line) });
  const lineNow = async () => (await dynamo.send(ofLine)).Item?.['OrderIDs']?.S;
  await vi.waitFor(async () => expect(await lineNow()).toBeUndefined(), patience);
  // As if the process that wrote their ends had crashed before they left it.
  const Item = { ...keyOf(line), OrderIDs: { S: `${first} ${second}` } };
  await dynamo.send(new PutItemCommand({ TableName: orders, Item }));
  for (const [id, left] of [
    [first, second],
    [second, undefined],
  ] as const) {
    await dynamo.send(new DeleteItemCommand({ TableName: processes, Key: keyOf(id) }));
    await vi.waitFor(async () => expect(await lineNow()).toBe(left), patience);
  }
});

test('every call was allowed, and every grant was used', async () => {
  const calls = [...proxy.calls(), ...(await callsOfLambda(reeve.lambda, functions))];
  const grants = await grantsOf(stackName);
  const { refused, unused } = evaluate(calls, grants);
  process.stdout.write(
    `${calls.length} calls, ${calls.length - refused.length} allowed, ${grants.length} grants, ${unused.length} unused\n`,
  );
  expect(proxy.failures).toEqual([]);
  expect(refused).toEqual([]);
  expect(unused).toEqual([]);
});
