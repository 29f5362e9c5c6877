/**
 * Waiting is not failing, deployed: a burst for an agent with a limit, an outage of a service, and a silent agent. The queues
 * are polled as Lambda does it (pollers.py), each up to the maximum concurrency of its event source mapping.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DisableRuleCommand,
  EnableRuleCommand,
  ListRulesCommand,
} from '@aws-sdk/client-eventbridge';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import type { Request } from '#core/model/message.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { type CountedService, countedService } from './counted-service.ts';
import { Deployed } from './deployed.ts';
import { FlowStack } from './flow-stack.ts';
import { packWithinMs } from './flow-workflows.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

const secondMs = 1_000;
/** Concurrent batches of the packing agent, of ten calls each. */
const concurrency = 2;
const batch = 10;
const callMs = 2 * secondMs;

const elsewhere = z.object({ requests: z.object({ normal: z.url() }), replies: z.url() });

let cloud: MiniStack;
let reeve: Deployed;
let flow: FlowStack;
let outputs: Record<string, string>;
let packing: CountedService;
let billing: CountedService;

beforeAll(async () => {
  packing = await countedService(callMs);
  billing = await countedService(0);
  cloud = await startMiniStack({ pollers: 'as-lambda' });
  Object.assign(process.env, cloud.env);
  await bootstrap(cloud.env);
  outputs = await deploy(
    {
      app: 'node test/deploy/flow-app.ts',
      stack: 'Flow',
      context: {
        stage: 'dev',
        services: JSON.stringify({ packing: packing.url, billing: billing.url }),
        concurrency: JSON.stringify({ packing: concurrency }),
        recovery: 'prompt',
        submissionQueue: 'true',
        shards: '1',
      },
    },
    cloud.env,
  );
  reeve = new Deployed(cloud, outputs);
  flow = await FlowStack.of(cloud, reeve);
  // The first sweep: without one, deadline checks take the time before it for an outage.
  await reeve.sweep();
});

afterAll(async () => {
  try {
    await destroy('reeve-flow');
  } finally {
    await cloud.close();
    packing.close();
    billing.close();
  }
});

const say = (text: string) => process.stdout.write(`${text}\n`);

const submissionOf = (workflow: string, number: number) =>
  submissionCodec.encode({
    workflow,
    details: { number },
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
    key: `${workflow}-${number}`,
  });

test('with the sweeps switched off, a silent agent is recovered after its complete-by', async () => {
  const courier = elsewhere.parse(JSON.parse(outputs['AgentCourier'] ?? ''));
  const requests = async (count: number): Promise<readonly Request[]> => {
    const messages = await reeve.take(courier.requests.normal, ({ length }) => length >= count);
    return messages.flatMap(({ Body = '' }) => {
      const read = requestCodec.decode(Body);
      return read.kind === 'message' ? [read.message] : [];
    });
  };
  const schedule = await switchedOff();
  try {
    const count = 5;
    for (let number = 0; number < count; number += 1) {
      await reeve.submit({ workflow: 'deliver', details: { number } });
    }
    const unanswered = await requests(count);
    expect(unanswered.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    const again = await requests(count);
    expect(again.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 2, 2]);
    for (const { orderId, step, attempt, action, input } of again) {
      const result = { kind: 'succeeded', output: input } as const;
      await reeve.send(
        courier.replies,
        replyCodec.encode({ orderId, step, attempt, action, result }),
      );
    }
    const late = new Map(unanswered.map(({ orderId, completeBy }) => [orderId, completeBy]));
    const delays = (await flow.ended('deliver', count)).map(
      ({ orderId, processState, history }) => {
        expect(processState).toBe('Processed');
        const at = history.find(({ type }) => type === 'expired')?.at ?? 0;
        return at - (late.get(orderId) ?? 0);
      },
    );
    say(`recovered ${delays.toSorted((a, b) => a - b).join(', ')} ms after complete-by`);
    for (const delay of delays) expect(delay).toBeGreaterThan(0);
    expect(Math.max(...delays)).toBeLessThan(20 * secondMs);
  } finally {
    await schedule.on();
  }
});

/** Switches the schedule of the sweeps off. */
async function switchedOff(): Promise<{ on(): Promise<void> }> {
  const events = eventBridgeClient({ endpoint: cloud.endpoint });
  const { Rules: rules = [] } = await events.send(new ListRulesCommand({}));
  const [{ Name } = {}] = rules.filter(({ ScheduleExpression: at }) => at !== undefined);
  await events.send(new DisableRuleCommand({ Name }));
  return {
    on: async () => {
      await events.send(new EnableRuleCommand({ Name }));
    },
  };
}

/** By the submission queue, which accepts every order. */
async function submitAll(numbers: readonly number[]): Promise<void> {
  for (let from = 0; from < numbers.length; from += batch) {
    await reeve.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: outputs['SubmissionQueueUrl'],
        Entries: numbers.slice(from, from + batch).map((number) => ({
          Id: `${number}`,
          MessageBody: submissionOf('pack', number),
        })),
      }),
    );
  }
}

/**
 * The first orders start the environments of the functions, which on a busy machine takes some seconds: replies that waited for
 * those of the Scheduler would be handled after their deadlines.
 */
test('300 orders at once for an agent with two slow batches at a time are all Processed, without a failure', async () => {
  const [first, count] = [40, 300];
  const numbers = Array.from({ length: first + count }, (_, number) => number);
  await submitAll(numbers.slice(0, first));
  const before = new Set((await flow.ended('pack', first)).map(({ orderId }) => orderId));
  packing.concurrentMax();
  await submitAll(numbers.slice(first));
  const all = await flow.ended('pack', first + count);
  const burst = all.filter(({ orderId }) => !before.has(orderId));
  say(`burst: ${await flow.counted('pack')}, the first ${first} apart; ${packing.calls()} calls`);
  // If all were sent at once, a third of them would wait for longer than their deadline.
  expect((count / (concurrency * batch)) * callMs).toBeGreaterThanOrEqual(1.5 * packWithinMs);
  expect(burst).toHaveLength(count);
  const failed = burst.filter(
    ({ processState, failureCount }) => processState !== 'Processed' || failureCount > 0,
  );
  expect(failed).toEqual([]);
  expect(packing.concurrentMax()).toBeLessThanOrEqual(concurrency * batch);
  const answers = burst.map(({ orderId }) => packing.answered.get(`${orderId}/call`));
  expect(answers).toEqual(burst.map(() => 1));
}, 300_000);

test('an outage of a service fails no order, and is probed by one call at a time', async () => {
  const outageMs = 60 * secondMs;
  let count = 0;
  const submitFor = async (ms: number) => {
    for (const until = Date.now() + ms; Date.now() < until; count += 1) {
      await reeve.submit({ workflow: 'bill', details: { number: count } });
      await sleep(secondMs);
    }
  };
  await submitFor(5 * secondMs);
  billing.setDown(true);
  const downAt = Date.now();
  while ((await flow.circuit('billing')) === null) await submitFor(secondMs);
  billing.concurrentMax();
  const [callsBefore, openAt] = [billing.calls(), Date.now()];
  await submitFor(outageMs - (Date.now() - downAt));
  const held = (await flow.records('bill')).filter(({ isHeld }) => isHeld === true);
  const circuit = await flow.circuit('billing');
  const openMs = Date.now() - openAt;
  const [probes, probesAtOnce] = [billing.calls() - callsBefore, billing.concurrentMax()];
  billing.setDown(false);
  await submitFor(10 * secondMs);
  const records = await flow.ended('bill', count);
  const opened = await flow.logLines('agent billing', 'circuit-opened');
  say(
    `outage: ${callsBefore} calls before, ${probes} probes in ${openMs} ms, ${held.length} held, ${await flow.counted('bill')}`,
  );
  expect(circuit?.state).not.toBe('recovering');
  expect(held.length).toBeGreaterThan(0);
  // One probe every 4 s, after the first ones at 1 and 2 s.
  expect(probes).toBeLessThanOrEqual(openMs / (4 * secondMs) + 3);
  expect(probesAtOnce).toBeLessThanOrEqual(1);
  expect(opened).toHaveLength(1);
  expect(records.map(({ processState }) => processState)).toEqual(records.map(() => 'Processed'));
}, 420_000);
