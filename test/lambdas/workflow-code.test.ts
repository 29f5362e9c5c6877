/** The function of the Scheduler with a workflow whose code changes what it gets: the record keeps what the agent has answered (R4). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { stepName } from '#core/model/ids.ts';
import { deployedOrder, deployedScheduler } from '../support/deployed-scheduler.ts';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { sqsRecord } from '../support/sqs-record.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

const list = z.object({ list: z.array(z.int()) });
const count = defineAgent({ name: 'count', input: z.object({}), output: list, undo: 'unneeded' });
const sort = defineAgent({ name: 'sort', input: list, output: z.object({}), undo: 'unneeded' });
const tidy = defineWorkflow({ name: 'tidy', version: 1, details: z.object({}) })
  .step('count', { agent: count, completeWithin: 60_000, input: () => ({}) })
  .step('sort', {
    ...{ agent: sort, after: ['count'], completeWithin: 60_000 },
    input: ({ outputs }) => ({ list: outputs.count.list.sort() }),
  })
  .build();

const batch = (queue: string, body: string) => ({
  Records: [sqsRecord('1', body, `arn:aws:sqs:us-east-1:000000000000:test_${queue}`)],
});

test('an input that sorts the output of the step before changes no record', async () => {
  const { handle, requests, store } = await deployedScheduler(server, tidy, ['count', 'sort']);
  await handle(
    batch('ready_normal', nudgeCodec.encode({ orderId: deployedOrder, priority: 'normal' })),
  );
  const result = { kind: 'succeeded', output: { list: [3, 1, 2] } } as const;
  const reply = {
    orderId: deployedOrder,
    step: stepName('count'),
    attempt: 1,
    action: 'perform',
    result,
  };
  await handle(batch('reply_count', replyCodec.encode({ ...reply, action: 'perform' })));
  expect(requests().map(({ agent, input }) => ({ agent, input }))).toEqual([
    { agent: 'count', input: {} },
    { agent: 'sort', input: { list: [1, 2, 3] } },
  ]);
  const record = (await store.records([deployedOrder])).get(deployedOrder);
  expect(record?.steps[0]?.progress).toMatchObject({
    state: 'Completed',
    output: { list: [3, 1, 2] },
  });
});
