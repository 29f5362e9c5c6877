/**
 * The time by which the Scheduler leases slots and measures how long replies wait. With a batch window, SQS gives a message to its receiver
 * when the window begins, and its function handles it when the window ends.
 */
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, orderId, stepName } from '#core/model/ids.ts';
import { deployedScheduler } from '../support/deployed-scheduler.ts';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
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

/** How long before that it was sent. */
const sentMs = 5_000;

/** A batch of one message that SQS gave to its first receiver `waitedMs` ago. */
function waiting(queue: string, body: string, at: number): SQSEvent {
  const received = at - waitedMs;
  const record = sqsRecord('1', body, `arn:aws:sqs:us-east-1:000000000000:test_${queue}`, {
    sentAt: received - sentMs,
  });
  const attributes = { ...record.attributes, ApproximateFirstReceiveTimestamp: String(received) };
  return { Records: [{ ...record, attributes }] };
}

/** A Scheduler, with a new order, and what it sends. */
async function schedulerWith(window: Readonly<Record<string, string>>) {
  const { tables, ...scheduler } = await deployedScheduler(server, wall, ['paint'], window);
  return { ...scheduler, delays: dynamoReplyDelays(server.client, tables.coordination) };
}

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
  // Since it was sent, and not since it was received.
  expect(noted?.ms).toBeGreaterThanOrEqual(waitedMs + sentMs);
});
