/** What invokes functions, when it is delivered again, and what is left out: queues, the change stream, the schedule and alerts. */
import { Duration } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { streamEntry } from '#aws/notifications/process-stream.ts';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { notificationsOf } from '#core/model/change.ts';
import { processStates } from '#core/model/record.ts';
import { redeliveryConcurrency } from '#infra/queues/redelivery-queue.ts';
import { newOrder } from '../support/orders.ts';
import { templateWith } from './scenario.ts';

const handler = 'lambdas/agents/payment.ts';
const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};
const template = templateWith(
  [{ name: 'payment', handler, timeout: Duration.seconds(5) }, { name: 'billing' }],
  { webhooks: { shop: webhook }, submissionQueue: true, recovery: 'prompt' },
);
const resources = (type: string, of: Template = template) =>
  Object.entries(of.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));

const mapping = z.object({
  EventSourceArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  FunctionName: z.object({ Ref: z.string() }),
  ScalingConfig: z.object({ MaximumConcurrency: z.int() }).optional(),
});
const queueSchema = z.object({
  QueueName: z.string(),
  FifoQueue: z.boolean().default(false),
  VisibilityTimeout: z.int(),
  MessageRetentionPeriod: z.int(),
  RedrivePolicy: z.object({ maxReceiveCount: z.int() }),
});
const queues = new Map(
  resources('AWS::SQS::Queue').flatMap(({ id, ...properties }) => {
    const parsed = queueSchema.safeParse(properties);
    return parsed.success ? [[id, parsed.data] as const] : [];
  }),
);
const timeouts = new Map(
  resources('AWS::Lambda::Function').map(({ id, Timeout }) => [id, z.int().parse(Timeout)]),
);

/** Each queue that a function consumes, with the timeout of the function, s. */
const consumed = resources('AWS::Lambda::EventSourceMapping').flatMap((properties) => {
  const { EventSourceArn, FunctionName, ScalingConfig } = mapping.parse(properties);
  const queue = queues.get(EventSourceArn['Fn::GetAtt'][0]);
  const timeout = timeouts.get(FunctionName.Ref);
  if (queue === undefined || timeout === undefined) return [];
  return [{ ...queue, timeout, concurrency: ScalingConfig?.MaximumConcurrency }];
});

test('a standby reads no queue and no stream, makes no sweep, takes no request, and raises no alarm because of that', () => {
  const standby = templateWith([{ name: 'payment', handler }, { name: 'billing' }], {
    webhooks: { shop: webhook },
    submissionQueue: true,
    recovery: 'prompt',
    standby: 'true',
  });
  const states = (of: Template) => ({
    mappings: new Set(
      resources('AWS::Lambda::EventSourceMapping', of).map((one) => one['Enabled']),
    ),
    schedules: resources('AWS::Events::Rule', of).flatMap((one) =>
      one['ScheduleExpression'] === undefined ? [] : [one['State']],
    ),
    throttle: resources('AWS::ApiGatewayV2::Stage', of).map((one) => one['DefaultRouteSettings']),
    alarmsOnMissingData: resources('AWS::CloudWatch::Alarm', of).filter(
      (one) => one['TreatMissingData'] === 'breaching',
    ).length,
  });
  expect(states(standby)).toEqual({
    mappings: new Set([false]),
    schedules: ['DISABLED'],
    throttle: [{ ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 }],
    alarmsOnMissingData: 0,
  });
  expect(states(template)).toMatchObject({
    mappings: new Set([true]),
    schedules: ['ENABLED'],
    alarmsOnMissingData: 1,
  });
});

test('the mapping of the stream publishes how many changes it reads, which an alarm needs', () => {
  const [stream, ...others] = resources('AWS::Lambda::EventSourceMapping').filter(
    (one) => one['MetricsConfig'] !== undefined,
  );
  expect(stream).toMatchObject({
    MetricsConfig: { Metrics: ['EventCount'] },
    StartingPosition: 'TRIM_HORIZON',
  });
  expect(others).toEqual([]);
});

test('a message stays hidden for six times as long as the function may run that consumes its queue', () => {
  expect(consumed.length).toBeGreaterThan(6);
  for (const { QueueName, VisibilityTimeout, timeout } of consumed) {
    expect({ QueueName, VisibilityTimeout }).toEqual({ QueueName, VisibilityTimeout: 6 * timeout });
  }
});

test('the redelivery of notifications leaves the concurrency of its function to others', () => {
  const fifo = consumed.filter(({ FifoQueue }) => FifoQueue);
  expect(fifo).toHaveLength(2);
  for (const { concurrency } of fifo) expect(concurrency).toBe(redeliveryConcurrency);
});

test('a message that an agent elsewhere never deletes is a dead letter before its queue deletes it', () => {
  const own = [...queues.values()].filter(({ QueueName }) => QueueName.endsWith('_billing'));
  const requests = own.filter(({ QueueName }) => QueueName.includes('_request_'));
  expect(requests).toHaveLength(1);
  for (const { RedrivePolicy, VisibilityTimeout } of requests) {
    expect(RedrivePolicy.maxReceiveCount).toBe(5);
    expect(VisibilityTimeout).toBe(180);
  }
});

/** A pattern as Lambda evaluates it: a list has texts, of which one is the value, or says whether there is a value. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    return pattern.some((one: unknown) =>
      typeof one === 'object' ? (value !== undefined) === exists.parse(one).exists : one === value,
    );
  }
  return Object.entries(objectSchema.parse(pattern)).every(([name, inner]) =>
    matches(inner, objectSchema.safeParse(value).data?.[name]),
  );
}
const objectSchema = z.record(z.string(), z.unknown());
const exists = z.strictObject({ exists: z.boolean() });

const stream = z.object({
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }),
});
const [patterns = []] = resources('AWS::Lambda::EventSourceMapping').flatMap((properties) => {
  const parsed = stream.safeParse(properties);
  return parsed.success
    ? [parsed.data.FilterCriteria.Filters.map(({ Pattern }): unknown => JSON.parse(Pattern))]
    : [];
});
const isInvoked = (record: unknown) => patterns.some((pattern) => matches(pattern, record));

/** The stream reports each change of a record between any two states, of an order with or without a response channel. */
const changes = processStates.flatMap((before) =>
  processStates.flatMap((after) =>
    [null, 'shop'].map((replyTo) => {
      const { record } = newOrder('one', Date.UTC(2026, 0, 1), replyTo);
      const image = (processState: string) =>
        JSON.parse(JSON.stringify(toItem({ ...encodeRecord(record), ProcessState: processState })));
      const dynamodb = { NewImage: image(after), OldImage: image(before) };
      return { eventName: 'MODIFY', dynamodb } as const;
    }),
  ),
);

test('the notifier gets each change that it has to notify, count or delete, and none of a record that goes on', () => {
  const isNeeded = (record: (typeof changes)[number]) => {
    const state = record.dynamodb.NewImage.ProcessState.S;
    if (state === record.dynamodb.OldImage.ProcessState.S) return false;
    const isCounted = ['Processed', 'Undone', 'Error'].includes(state);
    return isCounted || record.dynamodb.NewImage.ReplyTo.S !== undefined;
  };
  expect(changes.filter(isNeeded).length).toBeGreaterThan(20);
  for (const record of changes.filter(isNeeded)) expect(isInvoked(record)).toBe(true);
  const removed = {
    eventName: 'REMOVE',
    dynamodb: { OldImage: { ProcessState: { S: 'Undone' } } },
  };
  expect(isInvoked(removed)).toBe(true);
  const inserted = newOrder('one', Date.UTC(2026, 0, 1)).record;
  const NewImage = JSON.parse(JSON.stringify(toItem({ ...encodeRecord(inserted) })));
  expect(isInvoked({ eventName: 'INSERT', dynamodb: { NewImage } })).toBe(false);
  const entry = streamEntry({ eventName: 'INSERT', dynamodb: { NewImage } });
  expect(entry.kind === 'changed' ? notificationsOf(entry.change) : []).toEqual([]);
});

test('the tables have what the functions read of them: expiry, and a stream of new and old images', () => {
  const tables = resources('AWS::DynamoDB::GlobalTable').map(
    ({ id, TimeToLiveSpecification, StreamSpecification }) => [
      id.replace(/^StateStore|[0-9A-F]{8}$/g, ''),
      TimeToLiveSpecification,
      StreamSpecification?.StreamViewType,
    ],
  );
  const expiry = { AttributeName: 'ExpiresAt', Enabled: true };
  expect(tables).toEqual([
    ['Orders', undefined, undefined],
    ['Processes', expiry, 'NEW_AND_OLD_IMAGES'],
    ['Coordination', expiry, undefined],
  ]);
});

test('a sweep that is late is not delivered: neither by the schedule, nor by Lambda', () => {
  const late = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    Targets: [Match.objectLike({ RetryPolicy: late, Input: '{"sweep":"all"}' })],
  });
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    ...late,
    Qualifier: '$LATEST',
  });
});

test('an alert is for this deployment of this account, says what to do, and has dead letters', () => {
  const [rule] = resources('AWS::Events::Rule').filter(({ EventPattern }) => EventPattern);
  expect(rule?.['EventPattern']).toEqual({
    account: [{ Ref: 'AWS::AccountId' }],
    source: ['reeve'],
    'detail-type': ['Order in Error'],
    detail: { deployment: ['Reeve'] },
  });
  const [target] = rule?.['Targets'] ?? [];
  const { InputPathsMap, InputTemplate } = target.InputTransformer;
  const text = Object.entries(z.record(z.string(), z.string()).parse(InputPathsMap)).reduce(
    (filled, [name, path]) => filled.replaceAll(`<${name}>`, path),
    String(InputTemplate),
  );
  expect(JSON.parse(text)).toBe(
    '$.detail.text Workflow $.detail.workflow. When the cause is fixed: $.detail.remedy',
  );
  expect(JSON.stringify(target.DeadLetterConfig)).toContain('NotificationsUndelivered');
});
