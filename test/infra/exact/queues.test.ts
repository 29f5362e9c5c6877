/** Every queue of a stack: exactly for how long it keeps and hides messages, what consumes it, and where those go that fail. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { nameOf, resources, textOf, whole } from './whole-stack.ts';

const queueSchema = z.strictObject({
  QueueName: z.string(),
  MessageRetentionPeriod: z.int(),
  SqsManagedSseEnabled: z.literal(true),
  VisibilityTimeout: z.int().optional(),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: z.unknown(), maxReceiveCount: z.int() })
    .optional(),
  FifoQueue: z.literal(true).optional(),
  DeduplicationScope: z.string().optional(),
  FifoThroughputLimit: z.string().optional(),
});
const mappingSchema = z.object({
  EventSourceArn: z.unknown(),
  FunctionName: z.unknown(),
  BatchSize: z.literal(10),
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.int() }).optional(),
  MaximumBatchingWindowInSeconds: z.int().optional(),
});
const mappings = [...resources('AWS::Lambda::EventSourceMapping')]
  .filter(([name]) => name !== 'NotificationsStream')
  .map(([, properties]) => mappingSchema.parse(properties));

/** As `Scheduler, at most 7`. */
const consumersOf = (id: string) =>
  mappings
    .filter(({ EventSourceArn }) => textOf(EventSourceArn) === id)
    .map(({ FunctionName, ScalingConfig, MaximumBatchingWindowInSeconds: window }) =>
      [
        textOf(FunctionName),
        ...(ScalingConfig === undefined ? [] : [`at most ${ScalingConfig.MaximumConcurrency}`]),
        ...(window === undefined ? [] : [`window ${window} s`]),
      ].join(', '),
    );

const days = (seconds: number) => `${seconds / 86_400} days`;
function lineOf(id: string, properties: unknown): readonly [string, string] {
  const queue = queueSchema.parse(properties);
  const { RedrivePolicy: redrive } = queue;
  return [
    queue.QueueName.replace('Reeve_', ''),
    [
      days(queue.MessageRetentionPeriod),
      ...(queue.VisibilityTimeout === undefined ? [] : [`hides ${queue.VisibilityTimeout} s`]),
      ...(redrive === undefined
        ? []
        : [`${redrive.maxReceiveCount} receives, then ${textOf(redrive.deadLetterTargetArn)}`]),
      ...(queue.FifoQueue === undefined ? [] : ['FIFO']),
      ...[queue.DeduplicationScope, queue.FifoThroughputLimit].flatMap((one) => one ?? []),
      ...consumersOf(id),
    ].join('; '),
  ];
}
const found = Object.fromEntries(
  [...resources('AWS::SQS::Queue')].map(([id, properties]) => lineOf(id, properties)),
);

/** Kept for four days, which dead letters outlive by ten, and hidden for six timeouts of the function. */
const work = (hides: number, deadLetters: string, ...consumers: readonly string[]) =>
  [`4 days; hides ${hides} s; 100 receives, then ${deadLetters}`, ...consumers].join('; ');
/** A program that lets the visibility timeout pass, and does not hide messages for seconds: five tries in four days. */
const elsewhere = (hides: number, deadLetters: string) =>
  `4 days; hides ${hides} s; 5 receives, then ${deadLetters}`;
const redelivery = (hides: number, deadLetters: string, consumer: string) =>
  `14 days; hides ${hides} s; 400 receives, then ${deadLetters}; FIFO; messageGroup; perMessageGroupId; ${consumer}, at most 10`;
const [dead, deadFifo] = ['14 days', '14 days; FIFO'];

const classes = ['high', 'normal', 'low'];
const perClass = (name: (priority: string) => string, line: (at: number) => string) =>
  Object.fromEntries(classes.map((priority, at) => [name(priority), line(at)]));

function ofAgent(name: string, requests: (deadLetters: string, at: number) => string) {
  const id = `Agent${name.replace('-', '')}`;
  return {
    ...perClass(
      (priority) => `request_${priority}_${name}`,
      (at) => requests(`${id}RequestsDeadLetters`, at),
    ),
    [`reply_${name}`]: work(180, `${id}ReplyDeadLetters`, 'SchedulerFunction'),
    [`dead_request_${name}`]: dead,
    [`dead_reply_${name}`]: dead,
  };
}

test('all of them', () => {
  expect(found).toEqual({
    ...perClass(
      (priority) => `ready_${priority}`,
      () => work(180, 'ReadyDeadLetters', 'SchedulerFunction'),
    ),
    dead_ready: dead,
    // Leaves the rest of the Supervisor's concurrency to its sweeps.
    check: work(360, 'CheckDeadLetters', 'SupervisorFunction, at most 10'),
    dead_check: dead,
    submission: work(180, 'SubmissionDeadLetters', 'SubmissionFunction'),
    dead_submission: dead,
    'webhook_shop.fifo': redelivery(720, 'WebhookshopDeadLetters', 'WebhookshopFunction'),
    'dead_webhook_shop.fifo': deadFifo,
    'webhook_crm.fifo': redelivery(720, 'WebhookcrmDeadLetters', 'WebhookcrmFunction'),
    'dead_webhook_crm.fifo': deadFifo,
    'retry.fifo': redelivery(360, 'NotificationsRetriesDeadLetters', 'NotificationsFunction'),
    'dead_retry.fifo': deadFifo,
    ...{ dead_change: dead, dead_alert: dead, dead_mail: dead },
    // Seven calls at once in three classes, the remainder to the highest.
    ...ofAgent('payment', (to, at) => work(180, to, `AgentpaymentAgent, at most ${[3, 2, 2][at]}`)),
    ...ofAgent('shipping', (to) => work(3_600, to, 'AgentshippingAgent')),
    ...ofAgent('bank-east', (to) => work(180, to, 'AgentbankeastAgent')),
    // Six times three hours is more than the twelve for which SQS hides a message at most.
    ...ofAgent('bank-west', (to) => elsewhere(43_200, to)),
    ...ofAgent('fraud', (to) => elsewhere(270, to)),
  });
});

const statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]),
  Principal: z.unknown(),
  Condition: z.unknown(),
});
const policySchema = z.object({
  PolicyDocument: z.object({ Statement: z.array(statement) }),
  Queues: z.tuple([z.object({ Ref: z.string() })]),
});

test('their policies allow nothing but undelivered alerts and mail of their own rule and topic, and refuse what is not encrypted', () => {
  const policies = [...resources('AWS::SQS::QueuePolicy').values()].map((one) =>
    policySchema.parse(one),
  );
  expect(policies).toHaveLength(Object.keys(found).length);
  const lines = policies.flatMap(({ PolicyDocument, Queues: [{ Ref }] }) =>
    PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow').map((one) => [
      nameOf(Ref),
      one.Action,
      one.Principal,
      JSON.parse(JSON.stringify(one.Condition), (_, value) =>
        typeof value === 'object' && 'Fn::GetAtt' in value ? textOf(value) : value,
      ),
    ]),
  );
  const [topic] = Object.keys(whole.findResources('AWS::SNS::Topic'));
  expect(lines).toEqual([
    [
      'NotificationsUndelivered',
      'sqs:SendMessage',
      { Service: 'events.amazonaws.com' },
      { ArnEquals: { 'aws:SourceArn': 'NotificationsAlert' } },
    ],
    [
      'NotificationsOperatorsUnmailed',
      'sqs:SendMessage',
      { Service: 'sns.amazonaws.com' },
      { ArnEquals: { 'aws:SourceArn': { Ref: topic } } },
    ],
  ]);
  const refused = policies.map(({ PolicyDocument }) =>
    PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Deny').map((one) => [
      one.Action,
      one.Principal,
      one.Condition,
    ]),
  );
  const plain = ['sqs:*', { AWS: '*' }, { Bool: { 'aws:SecureTransport': 'false' } }];
  expect(refused).toEqual(policies.map(() => [plain]));
});
