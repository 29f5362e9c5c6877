/**
 * Limits hold over all environments of the functions of a deployed stack. The queues are polled as Lambda does it (pollers.py),
 * so each function has several environments, none of which knows what another one has sent.
 */
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { mostIn, overMax } from '../../bench/flow/limit-bars.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { Deployed } from './deployed.ts';
import { FlowStack } from './flow-stack.ts';
import { type TimedCall, type TimedService, timedService } from './limits/timed-service.ts';
import { atOnce, perSecond } from './limits/workflows.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

const secondMs = 1_000;
const sendBatch = 10;
const tenants = ['ada', 'bob', 'eve'];

let cloud: MiniStack;
let reeve: Deployed;
let flow: FlowStack;
let submissions: string;
let paced: TimedService;
let shared: TimedService;

beforeAll(async () => {
  paced = await timedService(100);
  shared = await timedService(500);
  cloud = await startMiniStack({ pollers: 'as-lambda' });
  Object.assign(process.env, cloud.env);
  await bootstrap(cloud.env);
  const services = JSON.stringify({ paced: paced.url, shared: shared.url });
  const context = {
    stage: 'dev',
    services,
    recovery: 'prompt',
    submissionQueue: 'true',
    shards: '1',
  };
  const app = { app: 'node test/deploy/limits/app.ts', stack: 'Limits', context };
  const outputs = await deploy(app, cloud.env);
  submissions = outputs['SubmissionQueueUrl'] ?? '';
  reeve = new Deployed(cloud, outputs);
  flow = await FlowStack.of(cloud, reeve);
  // The first sweep: without one, deadline checks take the time before it for an outage.
  await reeve.sweep();
});

afterAll(async () => {
  try {
    await destroy('reeve-limits');
  } finally {
    await cloud.close();
    paced.close();
    shared.close();
  }
});

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Submits all at once, and returns them when they have ended. */
async function run(workflow: string, count: number): Promise<readonly ProcessRecord[]> {
  const bodies = Array.from({ length: count }, (_, number) => {
    const tenant = tenants[number % tenants.length] ?? '';
    return submissionCodec.encode({
      ...{ workflow, details: { number, tenant }, priority: 'normal', tenant },
      ...{ replyTo: null, correlationId: null, key: `${workflow}-${number}` },
    });
  });
  for (let from = 0; from < count; from += sendBatch) {
    const Entries = bodies
      .slice(from, from + sendBatch)
      .map((MessageBody, at) => ({ Id: `${at}`, MessageBody }));
    await reeve.sqs.send(new SendMessageBatchCommand({ QueueUrl: submissions, Entries }));
  }
  return flow.ended(workflow, count, 200 * secondMs);
}

const sorted = (calls: readonly TimedCall[], of: (call: TimedCall) => number) =>
  calls.map(of).toSorted((a, b) => a - b);

/** The calls in flight together, at most. */
function mostAtOnce(calls: readonly TimedCall[]): number {
  return calls.reduce((most, { arrivedAt }) => {
    const others = calls.filter((one) => one.arrivedAt <= arrivedAt && one.endedAt > arrivedAt);
    return Math.max(most, others.length);
  }, 0);
}

/** Calls that begin while the first environments start are part of the limit, and not of its use. */
function usedOf(begun: readonly number[], perSecond: number): number {
  const [from, to] = [begun[Math.floor(begun.length / 4)] ?? 0, begun.at(-1) ?? 0];
  const calls = begun.filter((at) => at >= from).length - 1;
  return calls / (((to - from) / secondMs) * perSecond);
}

/** On a busy machine, the emulator takes up to a second for a call that Lambda begins at once. */
const usedMin = 0.2;

const percent = (part: number) => `${Math.round(100 * part)} %`;

test(`of 100 orders at once, no more than the rate of ${perSecond} per second begin in any second`, async () => {
  const count = 100;
  const records = await run('pace', count);
  const begun = sorted(paced.calls, ({ begunAt }) => begunAt);
  const most = mostIn(secondMs, begun);
  const arrived = mostIn(
    secondMs,
    sorted(paced.calls, ({ arrivedAt }) => arrivedAt),
  );
  const used = usedOf(begun, perSecond);
  say(
    `rate: ${begun.length} calls, ${most} in a second, ${arrived} arrived, ${percent(used)} used`,
  );
  expect(records.map(({ processState }) => processState)).toEqual(records.map(() => 'Processed'));
  expect(begun.length).toBeGreaterThanOrEqual(count);
  expect(most).toBeLessThanOrEqual(perSecond * (1 + overMax) + 1);
  expect(used).toBeGreaterThan(usedMin);
}, 240_000);

test(`of 90 orders at once, no tenant of three has more than ${atOnce} calls in flight`, async () => {
  const records = await run('share', 90);
  const ofTenant = (name: string) => shared.calls.filter(({ tenant }) => tenant === name);
  const most = tenants.map((tenant) => mostAtOnce(ofTenant(tenant)));
  const used = usedOf(
    sorted(shared.calls, ({ begunAt }) => begunAt),
    tenants.length * atOnce * 2,
  );
  say(`at once: ${shared.calls.length} calls, ${most.join(', ')} in flight, ${percent(used)} used`);
  expect(records.map(({ processState }) => processState)).toEqual(records.map(() => 'Processed'));
  expect(Math.max(...most)).toBeLessThanOrEqual(atOnce);
  expect(used).toBeGreaterThan(usedMin);
}, 240_000);
