/** What a function cannot read goes to the dead-letter queue of the queue that it came from, and is not returned to that. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { BatchResponse, LambdaHandler, QueueEvent } from '#aws/lambda-events.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { workflows } from '#workflows/shipped.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const nothing = z.strictObject({});
const contract = defineAgent({ name: 'paint', input: nothing, output: nothing, undo: 'unneeded' });

// Imported where they are made, because a function reads its environment when it is loaded.
const functions: Readonly<Record<string, () => Promise<LambdaHandler<QueueEvent, unknown>>>> = {
  async scheduler() {
    const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
    return schedulerHandler({ workflows });
  },
  async supervisor() {
    const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
    return supervisorHandler({ workflows });
  },
  async submission() {
    const { submissionHandler } = await import('../../lambdas/submission.ts');
    return submissionHandler({ workflows });
  },
  async agent() {
    const { agentHandler } = await import('../../lambdas/agent-handler.ts');
    return agentHandler({ agent: { contract, perform: async () => ({}) } });
  },
};

const sent = z.object({ QueueUrl: z.string(), MessageBody: z.string() });
const acknowledged: BatchResponse = { batchItemFailures: [] };

test.each([
  ['scheduler', 'ready_high', 'dead_ready'],
  ['scheduler', 'reply_paint', 'dead_reply_paint'],
  ['supervisor', 'check', 'dead_check'],
  ['submission', 'submission', 'dead_submission'],
  ['agent', 'request_normal_paint', 'dead_request_paint'],
] as const)('the %s parks a message of %s in %s', async (name, queue, dead) => {
  const aws = await answeringAws(accepted);
  Object.assign(process.env, functionEnvironment(aws.url));
  const handler = await functions[name]?.();
  const arn = `arn:aws:sqs:us-east-1:000000000000:test_${queue}`;
  const Records = ['1', '2'].map((id) => sqsRecord(id, `unreadable ${id}`, arn));
  expect(await handler?.({ Records }, lambdaContext())).toEqual(acknowledged);
  const parked = aws.calls.flatMap(({ operation, input }) =>
    operation === 'SendMessage' ? [sent.parse(input)] : [],
  );
  const QueueUrl = `${aws.url}/000000000000/test_${dead}`;
  expect(parked.map(({ MessageBody }) => MessageBody).toSorted()).toEqual([
    'unreadable 1',
    'unreadable 2',
  ]);
  expect(new Set(parked.map((one) => one.QueueUrl))).toEqual(new Set([QueueUrl]));
});
