/** What raises each alarm: its metric, by which statistic and period, and for how long it must be above its threshold, or below. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { templateOf } from './scenario.ts';

const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};
const template = templateOf({ webhooks: { shop: webhook } });

const alarm = z.object({
  MetricName: z.string(),
  Namespace: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
  Statistic: z.string(),
  Period: z.int(),
  Threshold: z.number(),
  ComparisonOperator: z.string(),
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.int().optional(),
  TreatMissingData: z.string(),
});

/** Without the hash that the CDK adds. */
const nameOf = (id: string) => id.replace(/^ObservabilityAlarms|[0-9A-F]{8}$/g, '');

/** A resource by its logical id, and a text as it is. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [, id = ''] = /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(value)) ?? [];
  return nameOf(id);
}

const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(
  ([id, { Properties }]) => ({ name: nameOf(id), ...alarm.parse(Properties) }),
);

const signs = new Map([
  ['GreaterThanOrEqualToThreshold', '>='],
  ['LessThanThreshold', '<'],
]);

/** As `Maximum ApproximateAgeOfOldestMessage of 60 s >= 300, 3 of 3`. */
function conditionOf(one: (typeof alarms)[number]): string {
  const { EvaluationPeriods: of, DatapointsToAlarm: datapoints = of } = one;
  const sign = signs.get(one.ComparisonOperator) ?? one.ComparisonOperator;
  return `${one.Statistic} ${one.MetricName} of ${one.Period} s ${sign} ${one.Threshold}, ${datapoints} of ${of}`;
}

/** The conditions of all alarms whose names match. */
const conditions = (names: RegExp) => [
  ...new Set(alarms.filter(({ name }) => names.test(name)).map(conditionOf)),
];

test.each([
  ['an order in Error', /^OrderInError$/, 'Sum OrdersInError of 300 s >= 1, 1 of 1'],
  ['many overdue orders', /^PastDue$/, 'Sum OrdersPastDue of 300 s >= 100, 3 of 3'],
  ['an unavailable service', /^AgentUnavailable$/, 'Sum AgentsUnavailable of 300 s >= 1, 1 of 1'],
  // Not what was sent: a message that SQS moves after too many receives counts as not sent.
  [
    'dead letters',
    /DeadLetters$/,
    'Maximum ApproximateNumberOfMessagesVisible of 300 s >= 1, 1 of 1',
  ],
  [
    'old messages',
    /^(Ready|Agent).*Old$/,
    'Maximum ApproximateAgeOfOldestMessage of 60 s >= 300, 3 of 3',
  ],
  [
    'old notifications',
    /^(Webhook|Notifications).*Old$/,
    'Maximum ApproximateAgeOfOldestMessage of 60 s >= 1800, 3 of 3',
  ],
  // Until the next try of a receiver that asks for 45 minutes, and that of the retry queue.
  ['a webhook', /^WebhookshopBehind$/, 'Maximum UndeliveredAge of 300 s >= 1800, 1 of 10'],
  ['a retry queue', /^NotificationsBehind$/, 'Maximum UndeliveredAge of 300 s >= 1800, 1 of 4'],
  ['returned messages', /^MessagesReturned$/, 'Maximum MessageReceives of 300 s >= 1, 1 of 1'],
  ['a function that fails', /Errors$/, 'Sum Errors of 300 s >= 1, 1 of 1'],
  ['a function at its limit', /(?<!Throttle)Throttles$/, 'Sum Throttles of 300 s >= 1, 1 of 1'],
  ['no sweep', /^NoSweep$/, 'SampleCount SuccessfulRequestLatency of 60 s < 1, 3 of 3'],
  ['sweeps that are behind', /^SweepBehind$/, 'Maximum SweepLag of 300 s >= 180, 2 of 2'],
  ['orders that wait for long', /^HeldLong$/, 'Maximum HeldAge of 300 s >= 900, 1 of 4'],
  // In milliseconds, other than the ages of messages.
  ['a stream that is behind', /^StreamBehind$/, 'Maximum IteratorAge of 60 s >= 300000, 3 of 3'],
  ['reads at a limit', /ReadThrottleEvents$/, 'Sum ReadThrottleEvents of 300 s >= 1, 1 of 1'],
  ['writes at a limit', /WriteThrottleEvents$/, 'Sum WriteThrottleEvents of 300 s >= 1, 1 of 1'],
])('%s: the alarm is raised by this and by nothing else', (_, names, condition) => {
  expect(conditions(names)).toEqual([condition]);
});

test('each alarm has a condition above', () => {
  const known =
    /^(OrderInError|PastDue|AgentUnavailable|MessagesReturned|NoSweep|SweepBehind|HeldLong|StreamBehind)$|(DeadLetters|Old|Behind|Errors|Throttles|ThrottleEvents)$/;
  expect(alarms.length).toBeGreaterThan(40);
  expect(alarms.filter(({ name }) => !known.test(name))).toEqual([]);
});

test('only the alarm on missing sweeps is raised by missing data', () => {
  const missing = alarms.map(({ name, TreatMissingData }) => [name, TreatMissingData]);
  expect(missing.filter(([, treated]) => treated !== 'notBreaching')).toEqual([
    ['NoSweep', 'breaching'],
  ]);
});

test('the alarms on sweeps, the stream and functions watch their own resources', () => {
  const watched = (name: string) =>
    alarms
      .filter((one) => one.name === name)
      .flatMap(({ Dimensions }) => Dimensions.map(({ Name, Value }) => `${Name}=${textOf(Value)}`));
  // A sweep that is complete is the only PutItem on that table.
  expect(watched('NoSweep')).toEqual(['Operation=PutItem', 'TableName=StateStoreCoordination']);
  expect(watched('StreamBehind')).toEqual(['FunctionName=NotificationsFunction']);
  for (const [name, worker] of [
    ['scheduler', 'SchedulerFunction'],
    ['supervisor', 'SupervisorFunction'],
    ['payment', 'AgentpaymentAgent'],
  ]) {
    expect(watched(`${name}Errors`)).toEqual([`FunctionName=${worker}`]);
    expect(watched(`${name}Throttles`)).toEqual([`FunctionName=${worker}`]);
  }
});
