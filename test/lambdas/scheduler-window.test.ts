/**
 * The time by which the Scheduler leases slots and measures how long replies wait. With a batch window, SQS gives a message to its receiver
 * when the window begins, and its function handles it when the window ends.
 */
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, orderId, stepName, writeId } from '#core/model/ids.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord } from '../support/sqs-record.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

const nothing = z.strictObject({});
const common = { input: nothing, output: nothing, undo: 'unneeded' } as const;
const rate = { count: 1_000, per: 1_000 };
const paint = defineAgent({ name: 'paint', ...common, limits: { whole: { rate } } });
const wall = defineWorkflow({ name: 'wall', version: 1, details: nothing })
  .step('paint', { agent: paint, completeWithin: 60_000, input: () => ({}) })
  .build();
const waitedMs = 20_000;

/** A batch of one message that SQS gave to its first receiver `waitedMs` ago. */
function waiting(queue: string, body: string, at: number): SQSEvent {
  const received = at - waitedMs;
  const record = sqsRecord('1', body, `arn:aws:sqs:us-east-1:000000000000:test_${queue}`, {
    sentAt: received - 50,
  });
  const attributes = { ...record.attributes, ApproximateFirstReceiveTimestamp: String(received) };
  return { Records: [{ ...record, attributes }] };
}

/** A Scheduler, with a new order, and what it sends. */
async function schedulerWith(window: Readonly<Record<string, string>>) {
  const tables = await createTables(server.client);
  const aws = await answeringAws(({ input }) => {
    const entries = sent.safeParse(input).data?.Entries ?? [];
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] };
  });
  const store = dynamoStore({
    ...{ client: server.client, tables, log: testLog(), clock: systemClock, random: systemRandom },
    ...{ shards: 1, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 },
  });
  const one = orderId('one');
  const order = { orderId: one, priority: 'normal', tenant: null } as const;
  const { record } = submitted(
    { type: 'submit', by: 'ada', ...order, replyTo: null, correlationId: null },
    wall,
    Date.now(),
    writeId('one.1'),
  );
  await store.create({ orderId: one, details: {}, digest: '1', submittedAt: Date.now() }, record);
  Reflect.deleteProperty(process.env, 'REEVE_BATCH_WINDOW_SECONDS');
  Object.assign(process.env, {
    ...window,
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    AWS_ENDPOINT_URL_SQS: aws.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_AGENTS: 'paint',
    REEVE_LIMITED_AGENTS: '',
    REEVE_COORDINATION_TABLE: tables.coordination,
    REEVE_KEEP_DAYS: '30',
    REEVE_ORDERS_TABLE: tables.orders,
    REEVE_PRIORITIES: 'normal',
    REEVE_PROCESSES_TABLE: tables.processes,
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_RECOVERY: 'sweep',
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
  const handler = schedulerHandler({ workflows: [wall] });
  return {
    handle: (event: SQSEvent) => handler(event, lambdaContext()),
    delays: dynamoReplyDelays(server.client, tables.coordination),
    requests: () =>
      aws.calls.flatMap(({ input }) =>
        (sent.safeParse(input).data?.Entries ?? []).flatMap(({ MessageBody }) => {
          const decoded = requestCodec.decode(MessageBody);
          return decoded.kind === 'message' ? [decoded.message] : [];
        }),
      ),
  };
}

const sent = z.object({ Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })) });
const nudge = nudgeCodec.encode({ orderId: orderId('one'), priority: 'normal' });
const reply = replyCodec.encode({
  ...{ orderId: orderId('none'), step: stepName('paint'), attempt: 1, action: 'perform' },
  result: { kind: 'heartbeat' },
});

test('with a batch window, the slot of a call is not earlier by the time that its message was gathered', async () => {
  const { handle, requests } = await schedulerWith({ REEVE_BATCH_WINDOW_SECONDS: '20' });
  const began = Date.now();
  await handle(waiting('ready_normal', nudge, began));
  expect(requests().map(({ agent }) => agent)).toEqual(['paint']);
  for (const { startAt = 0, startBy = 0 } of requests()) {
    expect(startAt).toBeGreaterThanOrEqual(began);
    expect(startBy).toBeGreaterThanOrEqual(began);
  }
});

test('without one, what a message says of the time of its queue counts', async () => {
  const { handle, requests } = await schedulerWith({});
  const began = Date.now();
  await handle(waiting('ready_normal', nudge, began));
  expect(requests()).toHaveLength(1);
  for (const { startBy = began } of requests()) expect(startBy).toBeLessThan(began);
});

test('with a batch window, replies that wait in it are noted, so that sweeps count no failure for them', async () => {
  const { handle, delays } = await schedulerWith({ REEVE_BATCH_WINDOW_SECONDS: '20' });
  await handle(waiting('reply_paint', reply, Date.now()));
  const noted = await delays.read(agentName('paint'));
  expect(noted?.ms).toBeGreaterThanOrEqual(waitedMs);
});
