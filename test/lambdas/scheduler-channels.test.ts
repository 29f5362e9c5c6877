/** Where the deployed Scheduler sends what a claimed order needs. */
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { orderId } from '#core/model/ids.ts';
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
const paint = defineAgent({ name: 'paint', ...common });
const wall = defineWorkflow({ name: 'wall', version: 1, details: nothing })
  .step('paint', { agent: paint, completeWithin: 60_000, input: () => ({}) })
  .build();

/** A batch with one nudge. */
const nudged: SQSEvent = {
  Records: [
    sqsRecord(
      '1',
      nudgeCodec.encode({ orderId: orderId('one'), priority: 'normal' }),
      'arn:aws:sqs:us-east-1:000000000000:test_ready_normal',
    ),
  ],
};

async function sentBy(variables: Readonly<Record<string, string>>) {
  const { handle, sent } = await deployedScheduler(server, wall, ['paint'], variables);
  expect(await handle(nudged)).toEqual({ batchItemFailures: [] });
  return sent();
}

test('a request goes to the queue of its class, or, of an agent with limited calls, to any of its queues', async () => {
  const REEVE_PRIORITIES = 'high,normal';
  const queuesOf = async (limited: string) =>
    (await sentBy({ REEVE_PRIORITIES, REEVE_LIMITED_AGENTS: limited })).map(({ queue }) => queue);
  expect(await queuesOf('')).toEqual(['request_normal_paint']);
  const any = /^request_(?:high|normal)_paint$/;
  expect(await queuesOf('paint')).toEqual([expect.stringMatching(any)]);
});

test('before a step of an agent with limited calls starts, the messages of all its queues are counted; of another agent, none', async () => {
  const REEVE_PRIORITIES = 'high,normal';
  const countedFor = async (limited: string) => {
    const variables = { REEVE_PRIORITIES, REEVE_LIMITED_AGENTS: limited };
    const { handle, counted } = await deployedScheduler(server, wall, ['paint'], variables);
    expect(await handle(nudged)).toEqual({ batchItemFailures: [] });
    return counted().toSorted();
  };
  expect(await countedFor('')).toEqual([]);
  expect(await countedFor('paint')).toEqual(['request_high_paint', 'request_normal_paint']);
});

test('with prompt recovery, a check comes after the deadline of the step; otherwise there is none', async () => {
  const checks = async (REEVE_RECOVERY: string) =>
    (await sentBy({ REEVE_RECOVERY })).filter(({ queue }) => queue === 'check');
  expect(await checks('sweep')).toEqual([]);
  const [check, ...more] = await checks('prompt');
  expect(more).toEqual([]);
  expect(check?.delay).toBeGreaterThan(55);
  expect(check?.delay).toBeLessThan(120);
});
