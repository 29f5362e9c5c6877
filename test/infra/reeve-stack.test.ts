import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { processIndexes } from '#aws/store/tables.ts';
import { checkConcurrency } from '#infra/queues/deadline-check-queue.ts';
import { functionsOf, templateOf, templateWith } from './scenario.ts';

const prod = templateOf();
const resources = (type: string, template = prod) => Object.values(template.findResources(type));

test('the loop is allowed on the Scheduler and every agent, and on nothing else that is there by default', () => {
  const allowed = functionsOf(prod).filter(({ RecursiveLoop }) => RecursiveLoop === 'Allow');
  expect(allowed.map(({ Description }) => Description).toSorted()).toEqual([
    'Reeve: Scheduler',
    'Reeve: agent payment',
    'Reeve: agent shipping',
  ]);
});

test('every route is authorised by IAM, unless a token issuer is named', () => {
  const types = (template = prod) =>
    resources('AWS::ApiGatewayV2::Route', template).map(
      ({ Properties }) => Properties.AuthorizationType,
    );
  expect(new Set(types())).toEqual(new Set(['AWS_IAM']));
  const jwt = { issuer: 'https://id.example.com', audience: ['reeve'] };
  expect(new Set(types(templateOf({ jwt })))).toEqual(new Set(['JWT']));
});

test('each route that needs a token has an authorizer of the template, and a warning stops the deployment', () => {
  const jwt = { issuer: 'https://id.example.com', audience: ['reeve'] };
  const template = templateOf({ jwt, console: { clientId: 'c-1' } });
  const [authorizer] = Object.keys(template.findResources('AWS::ApiGatewayV2::Authorizer'));
  const routes = resources('AWS::ApiGatewayV2::Route', template).map(
    ({ Properties }) => Properties,
  );
  for (const { AuthorizationType, AuthorizerId } of routes) {
    expect(AuthorizerId).toEqual(AuthorizationType === 'JWT' ? { Ref: authorizer } : undefined);
  }
  template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
    AuthorizerType: 'JWT',
    JwtConfiguration: { Issuer: jwt.issuer, Audience: jwt.audience },
  });
  template.hasResourceProperties('AWS::ApiGatewayV2::Api', { FailOnWarnings: true });
});

test('the console is behind the same tokens; only its own files and sign-in settings are public', () => {
  const jwt = { issuer: 'https://id.example.com', audience: ['reeve'] };
  const template = templateOf({ jwt, console: { clientId: 'c-1' } });
  const routes = resources('AWS::ApiGatewayV2::Route', template).map(
    ({ Properties: { RouteKey, AuthorizationType } }) => [RouteKey, AuthorizationType],
  );
  const open = routes.filter(([, type]) => type === 'NONE');
  expect(routes.filter(([, type]) => type === 'JWT').length).toBe(routes.length - open.length);
  expect(Object.fromEntries(open)).toEqual({
    'GET /': 'NONE',
    'GET /assets/{file}': 'NONE',
    'GET /sign-in.json': 'NONE',
  });
});

test('data survives the stack in prod and is deleted with it in dev', () => {
  const tables = (stage: string) => resources('AWS::DynamoDB::GlobalTable', templateOf({ stage }));
  for (const { DeletionPolicy, Properties } of tables('prod')) {
    expect(DeletionPolicy).toBe('Retain');
    expect(Properties.Replicas).toMatchObject([
      {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    ]);
  }
  for (const { DeletionPolicy, Properties } of tables('dev')) {
    expect(DeletionPolicy).toBe('Delete');
    expect(Properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
  }
});

test('every queue is encrypted, accepts TLS only, and has dead letters with a longer retention', () => {
  const queues = resources('AWS::SQS::Queue');
  const deadLetterQueues = queues.filter(
    ({ Properties }) => Properties.RedrivePolicy === undefined,
  );
  const work = queues.filter(({ Properties }) => Properties.RedrivePolicy !== undefined);
  expect(work).toHaveLength(6);
  // One per queue, and those of unreadable changes and of undelivered alerts.
  expect(deadLetterQueues).toHaveLength(8);
  for (const { Properties } of queues) expect(Properties.SqsManagedSseEnabled).toBe(true);
  // In a FIFO queue a dead letter's age starts again, so its queue may have the same retention.
  for (const { Properties } of work.filter((queue) => !queue['Properties'].FifoQueue)) {
    expect(Properties.RedrivePolicy.maxReceiveCount).toBeGreaterThanOrEqual(5);
    expect(Properties.MessageRetentionPeriod).toBeLessThan(
      deadLetterQueues[0]?.['Properties'].MessageRetentionPeriod,
    );
  }
  prod.resourceCountIs('AWS::SQS::QueuePolicy', queues.length);
});

test('a message stays hidden for six times as long as its function may run', () => {
  const timeouts = functionsOf(prod).map(({ Timeout }) => Timeout);
  const longest = Math.max(...timeouts.filter((seconds) => seconds <= 30));
  for (const { Properties } of resources('AWS::SQS::Queue')) {
    if (Properties.RedrivePolicy === undefined) continue;
    expect(Properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * longest);
  }
});

test('every queue is consumed in batches of ten that are acknowledged one by one', () => {
  const mappings = resources('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties);
  for (const { FunctionResponseTypes } of mappings) {
    expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  }
  const queues = mappings.filter(({ StartingPosition }) => StartingPosition === undefined);
  expect(queues.map(({ BatchSize }) => BatchSize)).toEqual(queues.map(() => 10));
  const limited = queues.filter(({ ScalingConfig }) => ScalingConfig?.MaximumConcurrency === 7);
  expect(limited).toHaveLength(1);
});

test('the stream sends a record to the failure queue after half of its retention', () => {
  prod.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    MaximumRecordAgeInSeconds: 43_200,
    MaximumRetryAttempts: Match.absent(),
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
  });
});

test('a tick is not repeated, and not delivered late', () => {
  prod.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    MaximumEventAgeInSeconds: 60,
    MaximumRetryAttempts: 0,
  });
});

test('every alarm has instructions and notifies the operators', () => {
  const alarms = resources('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  expect(alarms.length).toBeGreaterThan(20);
  for (const { AlarmDescription, AlarmActions } of alarms) {
    expect(AlarmDescription.length).toBeGreaterThan(80);
    expect(AlarmActions).toHaveLength(1);
  }
});

test('alarms and alerts of this stack only may publish to its topic', () => {
  const [policy] = resources('AWS::SNS::TopicPolicy');
  const statements: { Effect: string; Principal: { Service?: string }; Condition: unknown }[] =
    policy?.['Properties'].PolicyDocument.Statement;
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
  const conditions = allowed.map(({ Principal, Condition }) => [Principal.Service, Condition]);
  const ours = { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } };
  const like = { StringEquals: ours, ArnLike: { 'aws:SourceArn': expect.anything() } };
  expect(Object.fromEntries(conditions)).toEqual({
    'cloudwatch.amazonaws.com': like,
    'events.amazonaws.com': like,
  });
  for (const name of [':alarm:Reeve-*', ':rule/Reeve-*', ':rule/*/Reeve-*']) {
    expect(JSON.stringify(conditions)).toContain(`${name}"`);
  }
  expect(conditions).toHaveLength(2);
});

test('each index has alarms on its own throttling, beside those of its table', () => {
  const alarms = resources('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const throttled = alarms.flatMap(({ MetricName = '', Dimensions }) =>
    MetricName.endsWith('ThrottleEvents')
      ? [
          Dimensions.flatMap(({ Name, Value }: { Name: string; Value: unknown }) =>
            Name === 'GlobalSecondaryIndexName' ? [`${Value} ${MetricName}`] : [],
          ),
        ]
      : [],
  );
  const indexes = processIndexes.flatMap(({ name }) => [
    `${name} ReadThrottleEvents`,
    `${name} WriteThrottleEvents`,
  ]);
  // Two for each of three tables, and two for each index.
  expect(throttled).toHaveLength(6 + indexes.length);
  expect(throttled.flat().toSorted()).toEqual(indexes.toSorted());
});

test('no index has more of an item than its keys: the details of an order are in none', () => {
  const indexes = resources('AWS::DynamoDB::GlobalTable').flatMap(
    ({ Properties }) => Properties.GlobalSecondaryIndexes ?? [],
  );
  expect(indexes).toHaveLength(processIndexes.length);
  for (const { Projection } of indexes) expect(Projection).toEqual({ ProjectionType: 'KEYS_ONLY' });
});

test('a missing sweep is an alarm', () => {
  prod.hasResourceProperties('AWS::CloudWatch::Alarm', {
    TreatMissingData: 'breaching',
    EvaluationPeriods: 3,
    ComparisonOperator: 'LessThanThreshold',
    MetricName: 'SuccessfulRequestLatency',
    Statistic: 'SampleCount',
  });
});

test('an agent that runs elsewhere has queues, alarms on them and an output, and no function', () => {
  const template = templateOf({}, ['billing']);
  const names = functionsOf(template).map(({ Description }) => Description);
  expect(names).toEqual(functionsOf(prod).map(({ Description }) => Description));
  const alarms = (of: typeof prod) => resources('AWS::CloudWatch::Alarm', of).length;
  // Old and DeadLetters for each of its two queues.
  expect(alarms(template) - alarms(prod)).toBe(4);
  template.hasOutput('AgentBilling', {});
  expect(prod.findOutputs('AgentBilling')).toEqual({});
});

test('the dashboard counts the requests that were refused, from the access log', () => {
  const [board] = resources('AWS::CloudWatch::Dashboard', prod).map((one) => JSON.stringify(one));
  expect(board).toContain('filter status in');
  expect(board).toMatch(/FrontDoorAccessLog/);
});

test('without agent functions, the dashboard queries no log of them', () => {
  const boards = (of: typeof prod) =>
    JSON.stringify(resources('AWS::CloudWatch::Dashboard', of)).includes('call-failed');
  expect(boards(prod)).toBe(true);
  expect(boards(templateWith([{ name: 'billing' }]))).toBe(false);
});

const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};

test('a webhook has a FIFO queue, in sequence per order, with dead letters of a longer retention', () => {
  const template = templateOf({ webhooks: { shop: webhook } });
  const fifo = resources('AWS::SQS::Queue', template).filter(
    ({ Properties }) => Properties.FifoQueue,
  );
  // Its own queue and the notifier's, each with a dead-letter queue.
  expect(fifo).toHaveLength(4);
  template.hasResourceProperties('AWS::SQS::Queue', {
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    VisibilityTimeout: 720,
    RedrivePolicy: { maxReceiveCount: 400 },
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Reeve: webhook shop',
    Timeout: 120,
    Environment: {
      Variables: { REEVE_WEBHOOK_URL: webhook.url, REEVE_WEBHOOK_SECRET: webhook.secretArn },
    },
  });
  const names = resources('AWS::CloudWatch::Alarm', template).length;
  // Dead letters, old, behind, errors, throttles.
  expect(names).toBe(resources('AWS::CloudWatch::Alarm').length + 5);
});

test('the notifier has a FIFO queue of undelivered notifications, which it consumes itself', () => {
  prod.hasResourceProperties('AWS::SQS::Queue', {
    QueueName: Match.stringLikeRegexp('_retry.fifo$'),
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    VisibilityTimeout: 360,
    RedrivePolicy: { maxReceiveCount: 400 },
  });
  const [notifier] = Object.keys(
    prod.findResources('AWS::Lambda::Function', {
      Properties: { Description: 'Reeve: notifier' },
    }),
  );
  const sources = resources('AWS::Lambda::EventSourceMapping').filter(
    ({ Properties }) => Properties.FunctionName.Ref === notifier,
  );
  expect(sources.map(({ Properties }) => Properties.FunctionResponseTypes)).toEqual([
    ['ReportBatchItemFailures'],
    ['ReportBatchItemFailures'],
  ]);
});

test('the notifier works on five batches of a shard at once, each with a seventh of a core', () => {
  prod.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    // 2,000 changes a second and more (docs/aws.md, "Notification throughput").
    ParallelizationFactor: 5,
  });
  prod.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Reeve: notifier',
    MemorySize: 256,
  });
});

test('without a webhook no part of one is deployed', () => {
  const names = resources('AWS::SQS::Queue').map(({ Properties }) => Properties.QueueName);
  expect(names.filter((name) => name.includes('webhook'))).toEqual([]);
  expect(functionsOf(prod).filter(({ Description }) => Description.includes('webhook'))).toEqual(
    [],
  );
});

test('submission and notifier have the same response channels', () => {
  const template = templateOf({
    submissionQueue: true,
    responseQueues: { till: 'arn:aws:sqs:eu-west-1:123456789012:till' },
    eventChannels: ['feed'],
    webhooks: { shop: webhook },
  });
  const known = resources('AWS::Lambda::Function', template).flatMap(({ Properties }) => {
    const { REEVE_RESPONSE_CHANNELS: channels } = Properties.Environment?.Variables ?? {};
    return channels === undefined ? [] : [JSON.stringify(channels)];
  });
  expect(known).toHaveLength(3);
  expect(new Set(known).size).toBe(1);
  expect(JSON.parse(JSON.parse(known[0] ?? ''))).toEqual({
    till: 'https://sqs.eu-west-1.amazonaws.com/123456789012/till',
    feed: 'events',
    shop: 'webhook',
  });
});

test('each priority class has queues of its own', () => {
  const template = templateOf({ priorities: ['high', 'normal'] });
  const work = resources('AWS::SQS::Queue', template).filter(
    ({ Properties }) => Properties.RedrivePolicy !== undefined,
  );
  // Ready and requests of two agents, in two classes; each agent has one reply queue.
  expect(work).toHaveLength(2 + 4 + 2 + 1);
});

test.each([
  ['stage', { stage: 'production' }],
  ['shards', { shards: 0 }],
  ['priorities', { priorities: ['high'] }],
  ['alarmEmail', { alarmEmail: 'nobody' }],
  [
    'webhooks.shop.url',
    { webhooks: { shop: { url: 'http://x.example', secretArn: webhook.secretArn } } },
  ],
  ['webhooks.shop.secretArn', { webhooks: { shop: { ...webhook, secretArn: 'whsec_x' } } }],
  ['eventChannels.0', { eventChannels: ['The Shop'] }],
  ['`shop` names more than one', { webhooks: { shop: webhook }, eventChannels: ['shop'] }],
  ['responseQueues.shop', { responseQueues: { shop: 'https://example.com' } }],
  [
    'responseQueues.shop',
    { responseQueues: { shop: 'arn:aws:sqs:eu-west-1:123456789012:a.fifo' } },
  ],
  ['jwt', { jwt: '{"issuer":"x"}' }],
  ['jwt.issuer', { jwt: { issuer: 'http://id.example.com', audience: ['a'] } }],
  ['jwt.issuer', { jwt: { issuer: 'https://id.example.com/?a=b', audience: ['a'] } }],
  ['jwt.issuer', { jwt: { issuer: 'https://id.example.com#x', audience: ['a'] } }],
  ['jwt.issuer', { jwt: { issuer: 'https://me@id.example.com', audience: ['a'] } }],
  ['jwt.audience', { jwt: { issuer: 'https://id.example.com', audience: [''] } }],
  ['`console` needs jwt', { console: { clientId: 'c-1' } }],
])('a wrong %s is refused by name', (name, context) => {
  expect(() => templateOf(context)).toThrow(name);
});

test('a late Supervisor is an alarm, and it has more than half a core', () => {
  prod.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'SweepLag',
    Statistic: 'Maximum',
    Threshold: 180,
    EvaluationPeriods: 2,
    TreatMissingData: 'notBreaching',
  });
  prod.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Reeve: Supervisor',
    MemorySize: 1_024,
    Environment: { Variables: Match.objectLike({ REEVE_SHARDS: '8' }) },
  });
});

test('with prompt recovery the Supervisor consumes a queue with dead letters and alarms, and may send to itself', () => {
  const template = templateOf({ recovery: 'prompt' });
  const supervisor = functionsOf(template).find(
    ({ Description }) => Description === 'Reeve: Supervisor',
  );
  expect(supervisor?.RecursiveLoop).toBe('Allow');
  const consumed = resources('AWS::Lambda::EventSourceMapping', template).filter(({ Properties }) =>
    JSON.stringify(Properties.EventSourceArn).includes('ChecksQueue'),
  );
  expect(consumed).toMatchObject([
    { Properties: { ScalingConfig: { MaximumConcurrency: checkConcurrency } } },
  ]);
  const alarms = resources('AWS::CloudWatch::Alarm', template).map(({ Properties }) =>
    JSON.stringify(Properties.Dimensions),
  );
  expect(alarms.filter((dimensions) => dimensions?.includes('ChecksQueue'))).toHaveLength(1);
  expect(alarms.filter((dimensions) => dimensions?.includes('CheckDeadLetters'))).toHaveLength(1);
});
