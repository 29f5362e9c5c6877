/** The alarms on Reeve's own metrics: a function publishes each, with the dimensions by which the alarm finds it. */
import { globSync, readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import type { SQSEvent } from 'aws-lambda';
import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { metricNamespace, metrics } from '#aws/metric-names.ts';
import { notificationCodec, statusCodec } from '#core/codec/messages/change-codec.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { orderId } from '#core/model/ids.ts';
import { loadRequest } from '#sim/load/load-request.ts';
import { workflows } from '#workflows/shipped.ts';
import { answeringServer } from '../support/answering-server.ts';
import { changeFor } from '../support/changes.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { publishedLines } from '../support/published-metrics.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { templateOf } from './scenario.ts';

const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};
const everything = { submissionQueue: true, recovery: 'prompt', webhooks: { shop: webhook } };
const template = templateOf(everything);

const alarm = z.object({
  // Absent of an alarm that computes, which reads none of Reeve's own.
  Namespace: z.string().optional(),
  MetricName: z.string().default(''),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
});
const alarmsOf = (of: Template) =>
  Object.values(of.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) =>
    alarm.parse(Properties),
  );

/** As `UndeliveredAge service=Reeve webhook=shop`. */
const named = (name: string, dimensions: readonly (readonly [string, unknown])[]) =>
  [name, ...dimensions.map(([key, value]) => `${key}=${value}`).toSorted()].join(' ');
const own = alarmsOf(template)
  .filter(({ Namespace }) => Namespace === metricNamespace)
  .map(({ MetricName, Dimensions }) =>
    named(
      MetricName,
      Dimensions.map(({ Name, Value }) => [Name, Value]),
    ),
  );

const line = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.literal(metricNamespace),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
      }),
    ),
  }),
});

/** The metrics that a function publishes from now on, as CloudWatch knows them. */
function publishedNames(): () => readonly string[] {
  const lines = publishedLines();
  return () =>
    lines().flatMap((published) => {
      const values = line.parse(published);
      return values._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
        Metrics.flatMap(({ Name, Unit }) => {
          expect(metrics).toMatchObject({ [Name]: { unit: Unit } });
          return Dimensions.map((keys) =>
            named(
              Name,
              keys.map((key) => [key, values[key]]),
            ),
          );
        }),
      );
    });
}

/** A message that was received ten times in an hour. */
function failing(queue: string, body: string): SQSEvent {
  const record = sqsRecord('1', body, `arn:aws:sqs:us-east-1:000000000000:Reeve_${queue}`, {
    receives: 10,
    sentAt: Date.now() - 3_600_000,
  });
  return { Records: [{ ...record, attributes: { ...record.attributes, MessageGroupId: 'one' } }] };
}

beforeEach(async () => {
  const refusing = await answeringServer((response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'No.' }));
  });
  const variables = {
    AWS_ENDPOINT_URL: refusing.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_LAMBDA_FUNCTION_NAME: 'test',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_AGENTS: 'payment',
    REEVE_COMMAND: 'npx reeve',
    REEVE_COORDINATION_TABLE: 'coordination',
    REEVE_DEPLOYMENT: 'Reeve',
    REEVE_EVENT_BUS: 'default',
    REEVE_KEEP_DAYS: '30',
    REEVE_LIMITED_AGENTS: '',
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_PRIORITIES: 'normal',
    REEVE_PROCESSES_TABLE: 'processes',
    REEVE_QUEUES: `${refusing.url}/000000000000/Reeve`,
    REEVE_RECOVERY: 'prompt',
    REEVE_REPLY_QUEUE: `${refusing.url}/000000000000/Reeve_reply_tax`,
    REEVE_RESPONSE_CHANNELS: JSON.stringify({ shop: `${refusing.url}/000000000000/answers` }),
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_WEBHOOK: 'shop',
    REEVE_WEBHOOK_URL: refusing.url,
    REEVE_WEBHOOK_SECRET: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:shop-AbCdEf',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});

const nothing = z.strictObject({});
const tax = defineAgent({ name: 'tax', input: nothing, output: nothing, undo: 'unneeded' });
const undelivered = 'UndeliveredAge service=Reeve';
const returned = 'MessageReceives service=Reeve';
const order = { orderId: orderId('one'), priority: 'normal' } as const;
const submission = {
  priority: order.priority,
  ...{ workflow: 'order-fulfilment', details: {}, tenant: null },
  ...{ replyTo: null, correlationId: null, key: 'one' },
} as const;

test.each([
  [
    'a webhook whose receiver accepts nothing',
    `${undelivered} webhook=shop`,
    async () => {
      const { webhookHandler } = await import('../../lambdas/webhook.ts');
      return webhookHandler()(
        failing('webhook_shop', statusCodec.encode(changeFor('one', 1))),
        lambdaContext(),
      );
    },
  ],
  [
    'a notifier that may not send',
    undelivered,
    async () => {
      const { notifierHandler } = await import('../../lambdas/notifier.ts');
      const change = changeFor('one', 1);
      const body = notificationCodec.encode({ audience: 'submitter', change });
      return notifierHandler()(failing('retry', body), lambdaContext());
    },
  ],
  [
    'a Scheduler that may not write',
    returned,
    async () => {
      const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
      const event = failing('ready_normal', nudgeCodec.encode(order));
      return schedulerHandler({ workflows })(event, lambdaContext());
    },
  ],
  [
    'a Supervisor that may not read',
    returned,
    async () => {
      const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
      const event = failing(
        'check',
        deadlineCheckCodec.encode({ orderId: order.orderId, claimedAt: 1, at: 1 }),
      );
      return supervisorHandler({ workflows })(event, lambdaContext());
    },
  ],
  [
    'a submission that may not write',
    returned,
    async () => {
      const { submissionHandler } = await import('../../lambdas/submission.ts');
      const event = failing('submission', submissionCodec.encode(submission));
      return submissionHandler({ workflows })(event, lambdaContext());
    },
  ],
  [
    'an agent that may not reply',
    returned,
    async () => {
      const { agentHandler } = await import('../../lambdas/agent-handler.ts');
      const ofRequest = { workflow: 'sale', step: 'tax', agent: 'tax', input: {}, number: 1 };
      const request = loadRequest({ ...ofRequest, completeWithinMs: 60_000 }, Date.now());
      const event = failing('request_normal_tax', requestCodec.encode(request));
      return agentHandler({ agent: { contract: tax, perform: async () => ({}) } })(
        event,
        lambdaContext(),
      );
    },
  ],
])('%s publishes the metric of an alarm', async (_, metric, invoke) => {
  const published = publishedNames();
  expect(await invoke()).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  expect(published()).toEqual([metric]);
  expect(own).toContain(metric);
});

test('functions publish each metric that an alarm reads', () => {
  const code = globSync('lambdas/*.ts').map((file) => readFileSync(file, 'utf8'));
  const isPublished = (name: string) => code.some((text) => text.includes(` ${name}: `));
  const read = own.map((one) => one.split(' ', 1)[0] ?? '');
  expect(new Set(read).size).toBeGreaterThan(6);
  expect(read.filter((name) => !isPublished(name))).toEqual([]);
});

test('all alarms of a webhook and of the retry queue are there', () => {
  const ids = Object.keys(template.findResources('AWS::CloudWatch::Alarm')).join(' ');
  for (const name of ['WebhookshopOld', 'WebhookshopBehind', 'NotificationsOld']) {
    expect(ids).toContain(name);
  }
});
