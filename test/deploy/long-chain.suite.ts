/** Forty steps in one chain, 64 of the largest steps, and submission by queue. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { limits } from '#core/model/limits.ts';
import { largestDetails } from '../support/largest.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { Deployed } from './deployed.ts';
import { stepCount } from './long-chain.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

let cloud: MiniStack;
let reeve: Deployed;
let submissions: string;

beforeAll(async () => {
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  await bootstrap(cloud.env);
  const app = {
    app: 'node test/deploy/long-chain-app.ts',
    stack: 'LongChain',
    context: { stage: 'dev', submissionQueue: 'true', shards: '1' },
  };
  const outputs = await deploy(app, cloud.env);
  submissions = outputs['SubmissionQueueUrl'] ?? '';
  reeve = new Deployed(cloud, outputs);
});

afterAll(async () => {
  try {
    await destroy('reeve-long-chain');
  } finally {
    await cloud.close();
  }
});

const document = { workflow: 'long-chain', details: {} };

test('a workflow of forty steps ends', async () => {
  const orderId = await reeve.submit(document);
  const ended = await reeve.until(
    orderId,
    ({ processState }) => processState === 'Processed' || processState === 'Error',
    false,
  );
  const states = Object.values(ended.steps).map(({ state }) => state);
  expect(states).toEqual(Array.from({ length: stepCount }, () => 'Completed'));
});

test('64 steps with their largest outputs, and a join with all of them as input, end', async () => {
  const orderId = await reeve.submit({ workflow: 'join', details: largestDetails });
  const ended = await reeve.until(
    orderId,
    ({ processState }) => processState === 'Processed' || processState === 'Error',
    false,
  );
  expect(ended).toMatchObject({ processState: 'Processed', fault: null });
  expect(Object.values(ended.steps)).toHaveLength(limits.stepsMax);
});

test('a submission by queue is one order however often it is delivered (R2)', async () => {
  const common = {
    priority: 'normal',
    tenant: 'acme',
    replyTo: null,
    correlationId: null,
    key: 'by-queue',
  } as const;
  const body = submissionCodec.encode({ ...document, ...common });
  for (let times = 0; times < 3; times += 1) await reeve.send(submissions, body);
  const other = submissionCodec.encode({ ...document, ...common, priority: 'low' });
  await reeve.send(submissions, other);
  const [message] = await reeve.take(reeve.dead('Submission'), ({ length }) => length > 0);
  expect(message?.Body).toBe(other);
  expect(message?.MessageAttributes?.['Reason']?.StringValue).toContain('key-reused');
  const { body: page } = await reeve.api('GET', '/orders?limit=10');
  expect(page).toMatchObject({ orders: [{ tenant: 'acme' }, {}, {}] });
});
