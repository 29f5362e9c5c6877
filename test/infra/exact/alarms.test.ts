/** Every alarm of a stack: exactly what it watches and when it is raised. Its text and page of the runbook are those of its kind. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { processIndexes } from '#aws/store/tables.ts';
import { templateOf } from '../scenario.ts';
import { nameOf, resources, textOf, whole } from './whole-stack.ts';

const metricSchema = z.object({
  MetricName: z.string(),
  Namespace: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
});
const ofOne = metricSchema.extend({ Statistic: z.string(), Period: z.int() });
/** An alarm that computes from several metrics, each with a name. */
const computed = z.object({
  Metrics: z.array(
    z.union([
      z.object({ Expression: z.string() }),
      z.object({
        Id: z.string(),
        MetricStat: z.object({ Metric: metricSchema, Stat: z.string(), Period: z.int() }),
      }),
    ]),
  ),
});
const alarmSchema = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.tuple([z.strictObject({ Ref: z.string() })]),
  Threshold: z.number(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.int().optional(),
  TreatMissingData: z.enum(['notBreaching', 'breaching']),
});

function metricOf(one: z.infer<typeof metricSchema>, statistic: string, period: number): string {
  const of = one.Dimensions.map(
    ({ Name, Value }) => `${Name}=${textOf(Value).replace('.QueueName', '')}`,
  );
  const name = `${one.Namespace} ${statistic} ${one.MetricName}`;
  return `${name} of ${of.toSorted().join(' ')}, ${period} s`;
}

function watched(properties: unknown): string {
  const several = computed.safeParse(properties);
  if (!several.success) {
    const one = ofOne.parse(properties);
    return metricOf(one, one.Statistic, one.Period);
  }
  return several.data.Metrics.map((one) =>
    'Expression' in one
      ? one.Expression
      : `${one.Id} = ${metricOf(one.MetricStat.Metric, one.MetricStat.Stat, one.MetricStat.Period)}`,
  ).join('; ');
}

/** As `AWS/SQS Maximum ApproximateAgeOfOldestMessage of QueueName=ReadyHighQueue, 60 s, >= 300, 3 of 3: old-messages`. */
function lineOf(properties: unknown): string {
  const one = alarmSchema.parse(properties);
  const sign = one.ComparisonOperator === 'LessThanThreshold' ? '<' : '>=';
  const { EvaluationPeriods: periods, DatapointsToAlarm: enough = periods } = one;
  const [, page] = /docs\/runbook\.md#([\w-]+)$/.exec(one.AlarmDescription) ?? [];
  return [
    watched(properties),
    `${sign} ${one.Threshold}, ${enough} of ${periods}`,
    `${one.TreatMissingData === 'breaching' ? 'missing data counts, ' : ''}${page}`,
  ].join(', ');
}

const own = (metric: string, more = '') => `Reeve ${metric} of service=Reeve${more}`;
const [sweepPeriod, minute, fiveMinutes] = [300, 60, 300];

/** SQS leaves out those that were received three times. A message is in its queue while it is handled. */
const old = (queue: string, seconds: number) =>
  `AWS/SQS Maximum ApproximateAgeOfOldestMessage of QueueName=${queue}, ${minute} s, >= ${seconds}, 3 of 3, old-messages`;
const dead = (queue: string) =>
  `AWS/SQS Maximum ApproximateNumberOfMessagesVisible of QueueName=${queue}, ${fiveMinutes} s, >= 1, 1 of 1, dead-letters`;

function ofFunction(name: string, worker: string) {
  const once = (metric: string, page: string) =>
    `AWS/Lambda Sum ${metric} of FunctionName=${worker}, ${fiveMinutes} s, >= 1, 1 of 1, ${page}`;
  const id = name.replace('-', '');
  return {
    [`${id}Errors`]: once('Errors', 'function-errors'),
    [`${id}Throttles`]: once('Throttles', 'throttles'),
  };
}

function ofTable(name: string, dimensions: string) {
  const once = (metric: string) =>
    `AWS/DynamoDB Sum ${metric} of ${dimensions}, ${fiveMinutes} s, >= 1, 1 of 1, table-throttles`;
  return {
    [`${name}ReadThrottleEvents`]: once('ReadThrottleEvents'),
    [`${name}WriteThrottleEvents`]: once('WriteThrottleEvents'),
  };
}

const classes = ['High', 'Normal', 'Low'];
const perClass = (prefix: string, seconds: number) =>
  Object.fromEntries(
    classes.map((name) => [`${prefix}${name}Old`, old(`${prefix}${name}Queue`, seconds)]),
  );
const ofAgent = (id: string, requestsOld: number) => ({
  ...perClass(`Agent${id}Requests`, requestsOld),
  [`Agent${id}RepliesOld`]: old(`Agent${id}RepliesQueue`, 300),
  [`Agent${id}RequestsDeadLetters`]: dead(`Agent${id}RequestsDeadLetters`),
  [`Agent${id}RepliesDeadLetters`]: dead(`Agent${id}ReplyDeadLetters`),
});
const behind = (more: string, periods: number, page: string) =>
  `${own('Maximum UndeliveredAge', more)}, ${fiveMinutes} s, >= 1800, 1 of ${periods}, ${page}`;
const ofWebhook = (name: string) => ({
  [`Webhook${name}Old`]: old(`Webhook${name}Queue`, 1_800),
  [`Webhook${name}DeadLetters`]: dead(`Webhook${name}DeadLetters`),
  // A receiver may ask for 45 minutes between two tries: an alarm is raised until the next one.
  [`Webhook${name}Behind`]: behind(` webhook=${name}`, 10, 'webhook-behind'),
  ...ofFunction(`webhook-${name}`, `Webhook${name}Function`),
});

const expected: Readonly<Record<string, string>> = {
  OrderInError: `${own('Sum OrdersInError')}, 300 s, >= 1, 1 of 1, order-in-error`,
  // Sweeps come every five minutes here: each period has one, or one more period is looked at.
  PastDue: `${own('Sum OrdersPastDue')}, ${sweepPeriod} s, >= 100, 3 of 4, past-due`,
  SweepBehind: `${own('Maximum SweepLag')}, ${sweepPeriod} s, >= ${3 * sweepPeriod}, 2 of 3, sweep-behind`,
  // The end of a sweep is the only PutItem on that table.
  NoSweep: `AWS/DynamoDB SampleCount SuccessfulRequestLatency of Operation=PutItem TableName=StateStoreCoordination, ${sweepPeriod} s, < 1, 3 of 3, missing data counts, no-sweep`,
  AgentUnavailable: `${own('Sum AgentsUnavailable')}, 300 s, >= 1, 1 of 1, agent-unavailable`,
  MessagesReturned: `${own('Maximum MessageReceives')}, 300 s, >= 1, 1 of 1, messages-returned`,
  // An order that waits is asked about every 15 minutes.
  HeldLong: `${own('Maximum HeldAge')}, 300 s, >= 900, 1 of 4, held-long`,
  // Milliseconds, other than the ages of messages.
  StreamBehind:
    'AWS/Lambda Maximum IteratorAge of FunctionName=NotificationsFunction, 60 s, >= 300000, 3 of 3, stream-behind',
  // Written by requests that succeeded, and read by Lambda: an idle deployment has neither, and one that is read has the second.
  StreamUnread: [
    'IF(FILL(written, 0) > 0 AND FILL(read, 0) == 0, 1, 0)',
    'written = AWS/DynamoDB SampleCount SuccessfulRequestLatency of Operation=PutItem TableName=StateStoreProcesses, 300 s',
    'read = AWS/Lambda Sum PolledEventCount of EventSourceMappingUUID=NotificationsStream, 300 s, >= 1, 3 of 3, stream-unread',
  ].join('; '),
  // Their messages are delayed by up to 15 minutes.
  ...perClass('Ready', 300 + 900),
  ReadyDeadLetters: dead('ReadyDeadLetters'),
  ChecksOld: old('ChecksQueue', 300 + 900),
  ChecksDeadLetters: dead('CheckDeadLetters'),
  SubmissionSubmissionsOld: old('SubmissionSubmissionsQueue', 300),
  SubmissionDeadLetters: dead('SubmissionDeadLetters'),
  NotificationsOld: old('NotificationsRetriesQueue', 1_800),
  NotificationsDeadLetters: dead('NotificationsRetriesDeadLetters'),
  NotificationsBehind: behind('', 4, 'notifications-behind'),
  ChangesDeadLetters: dead('NotificationsFailures'),
  AlertsDeadLetters: dead('NotificationsUndelivered'),
  MailDeadLetters: dead('NotificationsOperatorsUnmailed'),
  ...ofWebhook('shop'),
  ...ofWebhook('crm'),
  ...ofFunction('front-door', 'FrontDoorFunction'),
  ...ofFunction('scheduler', 'SchedulerFunction'),
  ...ofFunction('supervisor', 'SupervisorFunction'),
  ...ofFunction('notifier', 'NotificationsFunction'),
  ...ofFunction('submission', 'SubmissionFunction'),
  ...ofFunction('payment', 'AgentpaymentAgent'),
  ...ofFunction('shipping', 'AgentshippingAgent'),
  ...ofFunction('bank-east', 'AgentbankeastAgent'),
  ...ofAgent('payment', 300),
  // A call may take ten minutes, for which its message is in the queue.
  ...ofAgent('shipping', 300 + 600),
  ...ofAgent('bankeast', 300),
  ...ofAgent('bankwest', 300 + 3 * 3_600),
  ...ofAgent('fraud', 300),
  ...ofTable('orders', 'TableName=StateStoreOrders'),
  ...ofTable('processes', 'TableName=StateStoreProcesses'),
  ...ofTable('coordination', 'TableName=StateStoreCoordination'),
  ...Object.assign(
    {},
    ...processIndexes.map(({ name }) =>
      ofTable(`processes${name}`, `GlobalSecondaryIndexName=${name} TableName=StateStoreProcesses`),
    ),
  ),
};

const alarms = new Map(
  [...resources('AWS::CloudWatch::Alarm')].map(([id, properties]) => [
    id.replace('ObservabilityAlarms', ''),
    properties,
  ]),
);

test('each of them', () => {
  const found = [...alarms].map(([name, properties]) => [name, lineOf(properties)]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('with a sweep every minute, the alarms on sweeps have periods of a minute', () => {
  const found = templateOf().findResources('AWS::CloudWatch::Alarm');
  const ofSweeps = Object.entries(found).flatMap(([id, { Properties }]) => {
    const name = nameOf(id).replace('ObservabilityAlarms', '');
    return ['PastDue', 'SweepBehind', 'NoSweep'].includes(name) ? [[name, lineOf(Properties)]] : [];
  });
  expect(Object.fromEntries(ofSweeps)).toEqual({
    PastDue: `${own('Sum OrdersPastDue')}, 300 s, >= 100, 3 of 3, past-due`,
    SweepBehind: `${own('Maximum SweepLag')}, 300 s, >= 180, 2 of 2, sweep-behind`,
    NoSweep: expected['NoSweep']?.replace('300 s', '60 s'),
  });
});

test('each notifies the topic of the operators, and nothing else', () => {
  const [topic = ''] = Object.keys(whole.findResources('AWS::SNS::Topic'));
  for (const properties of alarms.values()) {
    const { AlarmActions, OKActions, InsufficientDataActions, ActionsEnabled } = properties;
    expect({ AlarmActions, OKActions, InsufficientDataActions, ActionsEnabled }).toEqual({
      AlarmActions: [{ Ref: topic }],
    });
  }
  expect(nameOf(topic)).toBe('NotificationsOperators');
});
