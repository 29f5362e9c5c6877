/** The construct: what it shows of its parts is the part of that name, and what it is given reaches every part that it is for. */
import { Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { expect, test } from 'vitest';
import { type Role as CallerRole, roles } from '#core/access/principal.ts';
import { routesOf } from '#infra/access/api-routes.ts';
import { versionOf } from '#infra/deployment/given.ts';
import { reeveWith } from './reeve-with.ts';
import { nameOf, resources, textOf } from './whole-stack.ts';

const code = { module: 'missing.ts', export: 'agent' };
const newFunction = (scope: Construct) =>
  new LambdaFunction(scope, 'Mailing', {
    ...{ runtime: Runtime.NODEJS_24_X, handler: 'index.handler', timeout: Duration.minutes(2) },
    code: Code.fromInline('mail'),
  });
const [shared, ofPayment] = ['0a11a11a', '0b22b22b'] as const;
const networkOf = (scope: Stack, name: string) => {
  const vpc = Vpc.fromVpcAttributes(scope, name, {
    ...{ vpcId: `vpc-${name}`, availabilityZones: ['a'], privateSubnetIds: ['subnet-0c33c33c'] },
  });
  return {
    vpc,
    vpcSubnets: { subnets: [Subnet.fromSubnetId(scope, `${name}Subnet`, `subnet-${name}`)] },
    securityGroups: [SecurityGroup.fromSecurityGroupId(scope, `${name}Group`, `sg-${name}`)],
  };
};

const { reeve, stack } = reeveWith((own) => ({
  ...{ priorities: ['high', 'normal'], submissionQueue: true, recovery: 'prompt' },
  webhooks: { shop: { url: 'https://shop.example/hook', secret: new Secret(own, 'Hook') } },
  ...{ alarmEmail: 'ops@example.com', ...networkOf(own, shared) },
  alarms: { held: Duration.minutes(40), oldStatus: Duration.minutes(50) },
  release: {
    deploymentConfig: LambdaDeploymentConfig.ALL_AT_ONCE,
    provisionedConcurrency: { 'webhook-shop': 4, submission: 5 },
  },
}));
const payment = reeve.addAgent({ name: 'payment', ...code, ...networkOf(stack, ofPayment) });
const mailing = newFunction(stack);
const version = versionOf(mailing.currentVersion);
const alias = new Alias(stack, 'MailingLive', { aliasName: 'live', version });
reeve.addAgent({ name: 'mailing', function: alias });
const billing = reeve.addAgent({ name: 'billing' });
const callers = Object.fromEntries(
  roles.map((role) => [
    role,
    new Role(stack, `As-${role}`, { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
  ]),
);
const grant: Readonly<Record<CallerRole, (to: Role) => unknown>> = {
  viewer: (to) => reeve.grantRead(to),
  submitter: (to) => reeve.grantSubmit(to),
  operator: (to) => reeve.grantOperate(to),
};
for (const role of roles) if (callers[role] !== undefined) grant[role](callers[role]);
const template = Template.fromStack(stack);
const shown = (value: unknown) => textOf(stack.resolve(value)).replace(/^Orders/, '');

test('the queues of an agent are those of its classes, and its dead letters those of its requests and replies', () => {
  for (const { name, requests, replies, deadLetters } of [payment, billing]) {
    const names = Object.entries(requests).map(([at, { queueArn }]) => [at, shown(queueArn)]);
    expect(Object.fromEntries(names)).toEqual({
      high: `Agent${name}RequestsHighQueue`,
      normal: `Agent${name}RequestsNormalQueue`,
    });
    expect(
      [replies, deadLetters.requests, deadLetters.replies].map((one) => shown(one.queueArn)),
    ).toEqual([
      `Agent${name}RepliesQueue`,
      `Agent${name}RequestsDeadLetters`,
      `Agent${name}ReplyDeadLetters`,
    ]);
  }
});

test('each dead-letter queue has the name that `reeve dlq` and the alarms use', () => {
  const names = Object.entries(reeve.deadLetters).map(([name, { queueArn }]) => [
    name,
    shown(queueArn),
  ]);
  expect(Object.fromEntries(names)).toEqual({
    Ready: 'ReadyDeadLetters',
    'Webhook-shop': 'WebhookshopDeadLetters',
    Checks: 'CheckDeadLetters',
    Submission: 'SubmissionDeadLetters',
    Notifications: 'NotificationsRetriesDeadLetters',
    Changes: 'NotificationsFailures',
    Alerts: 'NotificationsUndelivered',
    Mail: 'NotificationsOperatorsUnmailed',
    ...Object.fromEntries(
      ['payment', 'mailing', 'billing'].flatMap((name) => [
        [`Agent-${name}-Requests`, `Agent${name}RequestsDeadLetters`],
        [`Agent-${name}-Replies`, `Agent${name}ReplyDeadLetters`],
      ]),
    ),
  });
});

test('each function, the queue beside the API, the address and the topic are those of the stack', () => {
  const names = Object.entries(reeve.functions).map(([name, one]) => [
    name,
    one === alias ? 'the alias that was given' : shown(one.functionArn),
  ]);
  expect(Object.fromEntries(names)).toEqual({
    'front-door': 'FrontDoorFunction',
    scheduler: 'SchedulerFunction',
    supervisor: 'SupervisorFunction',
    notifier: 'NotificationsFunction',
    'webhook-shop': 'WebhookshopFunction',
    submission: 'SubmissionFunction',
    payment: 'AgentpaymentAgent',
    mailing: 'the alias that was given',
  });
  expect(shown(reeve.submissionQueue?.queueArn)).toBe('SubmissionSubmissionsQueue');
  expect(shown(reeve.apiUrl)).toBe('FrontDoorApi.ApiEndpoint');
  expect(shown(reeve.operatorTopic.topicArn)).toBe('NotificationsOperators');
});

test('each metric is the one of its name', () => {
  const metrics = {
    OrdersProcessed: reeve.metricOrdersProcessed(),
    OrdersUndone: reeve.metricOrdersUndone(),
    OrdersInError: reeve.metricOrdersInError({ period: Duration.hours(1) }),
    HeldAge: reeve.metric('HeldAge', { statistic: 'Maximum' }),
  };
  for (const [name, { namespace, metricName, dimensions }] of Object.entries(metrics)) {
    expect({ namespace, metricName, dimensions }).toEqual({
      ...{ namespace: 'Reeve', metricName: name, dimensions: { service: 'Shop-Orders' } },
    });
  }
  expect(metrics.OrdersInError.period.toMinutes()).toBe(60);
  expect(metrics.HeldAge.statistic).toBe('Maximum');
});

test.each([...roles])(
  'a caller that is granted the role %s may use its routes, and no other',
  (role) => {
    const policies = [...resources('AWS::IAM::Policy', template)].filter(([id]) =>
      id.startsWith(`As${role}`),
    );
    const paths = [...JSON.stringify(policies).matchAll(/\/\$default\/([^"]+)"/g)];
    const allowed = routesOf(role).map(
      ({ method, path }) => `${method}${path.replaceAll(/\{\w+\}/g, '*')}`,
    );
    expect(paths.map(([, path]) => path).toSorted()).toEqual(allowed.toSorted());
  },
);

test('every function is in the network of the deployment, and an agent in its own where it has one', () => {
  const found = [...resources('AWS::Lambda::Function', template)].map(([id, { VpcConfig }]) => [
    id,
    VpcConfig,
  ]);
  const of = (name: string) => ({
    SubnetIds: [`subnet-${name}`],
    SecurityGroupIds: [`sg-${name}`],
  });
  const roleFunctions = ['FrontDoor', 'Scheduler', 'Supervisor', 'Submission', 'Notifications'];
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(
      [...roleFunctions, 'Webhookshop'].map((part) => [`Orders${part}Function`, of(shared)]),
    ),
    OrdersAgentpaymentAgent: of(ofPayment),
    // Made apart from Reeve.
    Mailing: undefined,
  });
});

test('an alias as an agent: the function gets the variables and may be a part of the loop, the alias is invoked', () => {
  const worker = resources('AWS::Lambda::Function', template).get('Mailing');
  expect(worker).toMatchObject({ RecursiveLoop: 'Allow' });
  expect(JSON.stringify(worker)).toContain('REEVE_REPLY_QUEUE');
  const invoked = [...resources('AWS::Lambda::EventSourceMapping', template).values()]
    .filter(({ EventSourceArn }) => textOf(EventSourceArn).startsWith('OrdersAgentmailingRequests'))
    .map(({ FunctionName }) => JSON.stringify(FunctionName));
  expect(invoked).toHaveLength(2);
  for (const one of invoked) expect(one).toContain('MailingLive');
  // Two minutes are the timeout of the function that the alias names.
  template.hasResourceProperties('AWS::SQS::Queue', {
    QueueName: 'Shop-Orders_request_high_mailing',
    VisibilityTimeout: 6 * 120,
  });
});

test('a new version is moved back by the alarm on errors of its function, and environments are started for the named ones', () => {
  const groups = [...resources('AWS::CodeDeploy::DeploymentGroup', template)];
  expect(groups).toHaveLength(7);
  for (const [, { AlarmConfiguration }] of groups) {
    expect(JSON.stringify(AlarmConfiguration)).toMatch(/Alarms\w+Errors[0-9A-F]{8}/);
  }
  const started = [...resources('AWS::Lambda::Alias', template)].flatMap(
    ([id, { ProvisionedConcurrencyConfig: config }]) =>
      config === undefined ? [] : [[id, config]],
  );
  const of = (count: number) => ({ ProvisionedConcurrentExecutions: count });
  expect(Object.fromEntries(started)).toEqual({
    OrdersWebhookshopFunctionLive: of(4),
    OrdersSubmissionFunctionLive: of(5),
  });
});

test('each threshold of an alarm that is given counts, and moves no other', () => {
  const thresholds = [...resources('AWS::CloudWatch::Alarm', template)].map(
    ([id, { Threshold }]) => [nameOf(id).replace('OrdersObservabilityAlarms', ''), Threshold],
  );
  const of = Object.fromEntries(thresholds);
  expect(of).toMatchObject({
    ...{ HeldLong: 40 * 60, WebhookshopOld: 50 * 60, WebhookshopBehind: 50 * 60 },
    ...{ NotificationsOld: 50 * 60, NotificationsBehind: 50 * 60 },
    ...{ ReadyHighOld: 300 + 900, PastDue: 100, SweepBehind: 180 },
    // Two minutes are the timeout of its function.
    AgentmailingRequestsHighOld: 300 + 120,
  });
});
