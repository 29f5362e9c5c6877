/** The construct in the stack of another application, beside its own VPC, key, secrets, bus, topic and table. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, NestedStack, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { DomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { deadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { awsLimits, measures } from '#infra/checks/aws-limits.ts';
import { worstCase } from '#infra/checks/worst-case.ts';
import { runEsbuildProgram } from '#infra/functions/esbuild-program.ts';
import { Reeve } from '#infra/reeve.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { findingsAt } from './covering-array.ts';
import { type ForeignProps, foreignStack } from './foreign-stack.ts';
import { workflowsOf } from './workflows-of.ts';

const unstaged = { 'aws:cdk:disable-asset-staging': true };
const bundle = sharedBundle();
const workflows = workflowsOf([]);
const foreign = (props: ForeignProps = {}) => {
  const outdir = mkdtempSync(join(inject('temporaryFolder'), 'foreign-'));
  return foreignStack({ bundle, outdir, ...props, context: { ...unstaged, ...props.context } });
};
const shop = foreign();
const template = Template.fromStack(shop.stack);
const all = (type: string, of = template) =>
  Object.entries(of.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));

/** The properties of a function by its description, in the Reeve with this id. */
function functionOf(reeve: string, description: string) {
  const found = all('AWS::Lambda::Function').find(
    ({ id, Description }) => id.startsWith(reeve) && Description === `Reeve: ${description}`,
  );
  if (found === undefined) throw new Error(`${reeve} has no function ${description}`);
  return found;
}

const statementSchema = z.object({
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
});
const policySchema = z.object({
  PolicyDocument: z.object({ Statement: z.array(statementSchema) }),
  Roles: z.array(z.object({ Ref: z.string() })).default([]),
});

const resource = z.object({ Properties: z.record(z.string(), z.unknown()).default({}) });

/** What a role may do: `action on resource`. */
function rightsOf(roleId: string): string[] {
  return Object.values(template.findResources('AWS::IAM::Policy'))
    .map(({ Properties }) => policySchema.parse(Properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === roleId))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().map((action) => `${action} ${JSON.stringify(Resource)}`),
    );
}
const roleOf = (reeve: string, description: string): string =>
  functionOf(reeve, description)['Role']['Fn::GetAtt'][0];

test('no part of Reeve has a finding of cdk-nag, nor what it grants', () => {
  const { app } = foreign({ context: { '@aws-cdk/core:failSynthOnValidationErrors': false } });
  const own = findingsAt(app).filter(({ at }) => /^Shop\/(Orders|Returns|ShopRole)\//.test(at));
  expect(own).toEqual([]);
});

test('two Reeves of one stack share no name', () => {
  const names = [
    ...all('AWS::SQS::Queue').map(({ QueueName }) => QueueName),
    ...all('AWS::CloudWatch::Dashboard').map(({ DashboardName }) => JSON.stringify(DashboardName)),
  ].filter((name) => name !== undefined);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('shop-Orders_request_normal_payment');
});

test('a name that is unique in the whole account has the region: the same deployment may be in two regions', () => {
  const named = ['RoleName', 'ManagedPolicyName', 'BucketName', 'DashboardName', 'GroupName'];
  const names = Object.entries(template.toJSON()['Resources']).flatMap(([id, one]) => {
    const { Properties } = resource.parse(one);
    return named.flatMap((name) => (name in Properties ? [[id, Properties[name]]] : []));
  });
  const board = (reeve: string) => [
    expect.stringContaining(`${reeve}ObservabilityDashboard`),
    { 'Fn::Join': ['', [`shop-${reeve}-orders-`, { Ref: 'AWS::Region' }]] },
  ];
  expect(names).toEqual([board('Orders'), board('Returns')]);
});

test('their metrics, alerts and remedies tell them apart', () => {
  const variables = (reeve: string) => functionOf(reeve, 'notifier')['Environment'].Variables;
  expect(variables('Orders')).toMatchObject({
    POWERTOOLS_SERVICE_NAME: 'shop-Orders',
    REEVE_DEPLOYMENT: 'shop-Orders',
    REEVE_COMMAND: 'npx reeve --stack shop/Orders',
  });
  expect(variables('Returns')).toMatchObject({ REEVE_DEPLOYMENT: 'shop-Returns' });
  const deployments = all('AWS::Lambda::Function')
    .filter(({ Environment }) => Environment?.Variables.REEVE_QUEUES !== undefined)
    .map(({ Environment }) => Environment.Variables.REEVE_DEPLOYMENT);
  expect(new Set(deployments)).toEqual(new Set(['shop-Orders', 'shop-Returns']));
  const onBus = all('AWS::Events::Rule').flatMap(
    ({ EventPattern }) => EventPattern?.detail.deployment ?? [],
  );
  expect(onBus.toSorted()).toEqual(['shop-Orders', 'shop-Returns']);
  const dimensions = all('AWS::CloudWatch::Alarm').flatMap(({ MetricName, Dimensions }) =>
    MetricName === 'OrdersInError' ? Dimensions : [],
  );
  expect(dimensions.map(({ Value }) => Value).toSorted()).toEqual(['shop-Orders', 'shop-Returns']);
});

test('each is found by one output of fixed name, with the queues of agents that were added later', () => {
  const longest = worstCase(shop.stack);
  const output = template.findOutputs('ReeveOrders')['ReeveOrders'];
  const addresses = z
    .record(z.string(), z.string())
    .parse(JSON.parse(String(longest(output?.['Value']))));
  expect(addresses).toMatchObject({ Reeve: 'shop/Orders', ApiUrl: expect.any(String) });
  expect(Object.keys(deadLetterQueues(addresses['DeadLetters'] ?? ''))).toEqual(
    expect.arrayContaining(Object.keys(shop.orders.deadLetters)),
  );
  template.hasOutput('ReeveReturns', {});
  template.hasOutput('ReeveOrdersAgentBilling', {});
});

test('the functions know the agents that were added after the construct', () => {
  const { Variables } = functionOf('Orders', 'Scheduler')['Environment'];
  expect(Variables).toMatchObject({
    REEVE_AGENTS: 'payment,packing,mailing,billing',
    REEVE_LIMITED_AGENTS: 'mailing',
  });
  expect(functionOf('Orders', 'Supervisor')['Environment'].Variables.REEVE_AGENTS).toBe(
    Variables.REEVE_AGENTS,
  );
  const [board] = all('AWS::CloudWatch::Dashboard').filter(({ id }) => id.startsWith('Orders'));
  for (const agent of ['payment', 'packing', 'mailing']) {
    expect(JSON.stringify(board)).toContain(`\\"label\\":\\"${agent}\\"`);
  }
});

test('an agent has its memory, time, variables and VPC, and the ARN of its secret with the right to read it', () => {
  const payment = functionOf('Orders', 'agent payment');
  expect(payment).toMatchObject({ MemorySize: 512, Timeout: 60 });
  expect(payment['VpcConfig'].SubnetIds).toHaveLength(2);
  const [secret] = Object.keys(template.findResources('AWS::SecretsManager::Secret')).filter((id) =>
    id.startsWith('Psp'),
  );
  expect(payment['Environment'].Variables).toMatchObject({
    PSP_KEY_ARN: { Ref: secret },
    CHARGES_TABLE: { Ref: expect.stringContaining('Charges') },
  });
  const rights = rightsOf(roleOf('Orders', 'agent payment'));
  expect(rights).toContain(`secretsmanager:GetSecretValue {"Ref":"${secret}"}`);
  expect(rights.filter((right) => right.startsWith('ec2:'))).toHaveLength(6);
  const others = rightsOf(roleOf('Orders', 'agent packing'));
  expect(others.filter((right) => right.startsWith('secretsmanager:'))).toEqual([]);
});

test('no role of Reeve has an action with an asterisk, and only the network is on any resource', () => {
  for (const { id } of all('AWS::IAM::Role').filter((role) => /^(Orders|Returns)/.test(role.id))) {
    for (const right of rightsOf(id)) {
      expect(right).not.toMatch(/^\w+:\S*\*/);
      if (right.endsWith(' "*"')) expect(right).toMatch(/^ec2:/);
    }
  }
});

test('all functions of a Reeve with a VPC are in it, those of the other are not', () => {
  const inVpc = (reeve: string) =>
    all('AWS::Lambda::Function')
      .filter(({ id, Description }) => id.startsWith(reeve) && Description !== undefined)
      .map(({ VpcConfig }) => VpcConfig !== undefined);
  expect(new Set(inVpc('Orders'))).toEqual(new Set([true]));
  expect(new Set(inVpc('Returns'))).toEqual(new Set([false]));
});

test('an existing function gets the requests, the variables and the rights of an agent', () => {
  const [mailing] = all('AWS::Lambda::Function').filter(({ id }) => id.startsWith('Mailing'));
  expect(mailing).toMatchObject({
    RecursiveLoop: 'Allow',
    Environment: {
      Variables: {
        REEVE_QUEUES: expect.anything(),
        REEVE_REPLY_QUEUE: expect.anything(),
        // The dimension of its metrics, by which the alarms find them.
        REEVE_DEPLOYMENT: 'shop-Orders',
      },
    },
  });
  const sources = all('AWS::Lambda::EventSourceMapping').filter(
    ({ FunctionName }) => FunctionName.Ref === mailing?.id,
  );
  expect(sources).toMatchObject([{ ScalingConfig: { MaximumConcurrency: 5 }, BatchSize: 10 }]);
  template.hasResourceProperties('AWS::SQS::Queue', {
    QueueName: 'shop-Orders_request_normal_mailing',
    VisibilityTimeout: 6 * 120,
  });
  const rights = rightsOf(mailing?.['Role']['Fn::GetAtt'][0]).map((right) => right.split(' ')[0]);
  expect(rights).toEqual(
    expect.arrayContaining(['sqs:ReceiveMessage', 'dynamodb:GetItem', 'kms:GenerateDataKey']),
  );
  expect(shop.agents.mail.function).toBe(shop.mailing);
});

test('an agent without code has queues and a policy', () => {
  expect(shop.agents.billing).toMatchObject({ name: 'billing', policy: expect.anything() });
  expect(Object.keys(shop.agents.billing.requests)).toEqual(['normal']);
});

test('everything of a Reeve with a key is encrypted with it, and its policy lets the services use it', () => {
  const [key] = Object.keys(template.findResources('AWS::KMS::Key'));
  const arn = { 'Fn::GetAtt': [key, 'Arn'] };
  const own = (type: string, reeve: string) => all(type).filter(({ id }) => id.startsWith(reeve));
  for (const queue of own('AWS::SQS::Queue', 'Orders'))
    expect(queue['KmsMasterKeyId']).toEqual(arn);
  for (const log of own('AWS::Logs::LogGroup', 'Orders')) expect(log['KmsKeyId']).toEqual(arn);
  for (const queue of own('AWS::SQS::Queue', 'Returns')) {
    expect(queue['KmsMasterKeyId']).toBeUndefined();
  }
  const policy = JSON.stringify(template.findResources('AWS::KMS::Key'));
  for (const service of ['cloudwatch.amazonaws.com', 'events.amazonaws.com', 'logs.']) {
    expect(policy).toContain(service);
  }
});

test('alarms and alerts go to the given topic, and events to the given bus', () => {
  const [bus] = Object.keys(template.findResources('AWS::Events::EventBus'));
  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: { Ref: bus },
    EventPattern: Match.objectLike({ detail: { deployment: ['shop-Orders'] } }),
  });
  const topics = Object.keys(template.findResources('AWS::SNS::Topic'));
  expect(topics.filter((id) => id.startsWith('Orders'))).toEqual([]);
  expect(shop.orders.operatorTopic.node.path).toBe('Shop/Operators');
});

test('a caller is granted the routes of its role, and where tokens decide the grant is refused', () => {
  const [role] = all('AWS::IAM::Role').filter(({ id }) => id.startsWith('ShopRole'));
  const rights = rightsOf(role?.id ?? '').join('\n');
  expect(rights).toContain('execute-api:Invoke');
  expect(rights).toContain('/POST/orders"');
  expect(rights).not.toContain('/cancel');
  const reeve = inStack({ jwt: { issuer: 'https://id.example.com', audience: ['reeve'] } });
  const caller = new Role(Stack.of(reeve), 'Caller', {
    assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
  });
  expect(() => reeve.grantRead(caller)).toThrow('by the tokens of `jwt`');
});

test('every environment is below the limit of Lambda, and the stack below those of AWS', () => {
  for (const { limit, of, amount } of measures(shop.stack)) {
    expect({ of, limit, ok: amount <= awsLimits[limit] }).toEqual({ of, limit, ok: true });
  }
});

function inStack(props: Partial<ReeveProps> = {}, context: Readonly<Record<string, unknown>> = {}) {
  const outdir = mkdtempSync(join(inject('temporaryFolder'), 'construct-'));
  const app = new App({ outdir, context: { ...unstaged, ...context } });
  return new Reeve(new Stack(app, 'Shop'), 'Orders', { workflows, bundle, ...props });
}

test('it shows its functions, dead letters, tables and metrics', () => {
  const { orders, stack } = shop;
  expect(Object.keys(orders.functions)).toEqual([
    ...['front-door', 'scheduler', 'supervisor', 'notifier', 'webhook-crm', 'submission'],
    ...['payment', 'packing', 'mailing'],
  ]);
  expect(Object.keys(orders.deadLetters)).toContain('Agent-payment-Requests');
  expect(stack.resolve(orders.metricOrdersInError({ period: Duration.hours(1) }))).toMatchObject({
    namespace: 'Reeve',
    dimensions: { service: 'shop-Orders' },
  });
  expect(orders.deployment).toBe('shop-Orders');
});

test('existing tables are used, and no others are made', () => {
  const stack = new Stack(new App({ context: unstaged }), 'Shop');
  const table = (name: string) => TableV2.fromTableName(stack, name, name);
  const tables = {
    orders: table('old-orders'),
    processes: TableV2.fromTableAttributes(stack, 'Processes', {
      tableName: 'old-processes',
      tableStreamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/old-processes/stream/1',
    }),
    coordination: table('old-coordination'),
  };
  const reeve = new Reeve(stack, 'Orders', {
    workflows,
    bundle,
    tables,
  });
  const found = Template.fromStack(stack);
  found.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  found.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ REEVE_ORDERS_TABLE: 'old-orders' }) },
  });
  expect(reeve.tables.processes).toBe(tables.processes);
  const warm = () =>
    new Reeve(stack, 'Warm', {
      workflows: 'test/deploy/foreign/workflows.ts',
      bundle,
      tables,
      warmOrdersPerSecond: 1_000,
    });
  expect(warm).toThrow('`warmOrdersPerSecond` is for tables that Reeve makes');
  const streamless = { ...tables, processes: Table.fromTableName(stack, 'NoStream', 'x') };
  const make = () =>
    new Reeve(stack, 'Other', {
      workflows,
      bundle,
      tables: streamless,
    });
  expect(make).toThrow('`tableStreamArn`');
});

test('the name of a deployment may be given, and has to be in a nested stack', () => {
  expect(inStack({ deployment: 'orders-eu' }).deployment).toBe('orders-eu');
  expect(() => inStack({ deployment: 'orders_eu' })).toThrow('letters, digits and "-"');
  const nested = new NestedStack(new Stack(new App({ context: unstaged }), 'Shop'), 'Inner');
  expect(() => new Reeve(nested, 'Orders', { workflows, bundle })).toThrow('is in a nested stack');
  const named = new Reeve(nested, 'Named', { workflows, bundle, deployment: 'inner' });
  expect(named.deployment).toBe('inner');
  // CloudFormation refuses a function there.
  const output = Template.fromStack(nested).findOutputs('ReeveNamed')['ReeveNamed'];
  expect(output?.['Description']).toBe('What reeve --stack reads of Named');
});

test.each([
  [{ shards: 0 }, '`shards`'],
  [{ console: { clientId: 'c' } }, 'needs jwt'],
  [{ eventChannels: ['Shop'] }, '`eventChannels'],
  [{ priorities: ['high'] as const }, 'must contain normal'],
])('the property %j is refused, with the path of the construct', (props, message) => {
  expect(() => inStack(props)).toThrow(message);
  expect(() => inStack(props)).toThrow('Invalid properties of Shop/Orders');
});

test('a threshold below the time between two tries is refused', () => {
  expect(() => inStack({ alarms: { held: Duration.minutes(5) } })).toThrow('`alarms.held`');
});

test('an address for mail and a topic of the application exclude each other', () => {
  expect(() => foreign({ reeve: { alarmEmail: 'ops@example.com' } })).toThrow(
    'Subscribe the address to `alarmTopic`',
  );
});

test('a name of a secret that no variable can have is refused', () => {
  const { orders, psp } = foreign();
  const agent = { name: 'tax', module: 'a.ts', export: 'tax', secrets: { 'psp-key': psp } };
  expect(() => orders.addAgent(agent)).toThrow('`secrets.psp-key`');
});

test('with a release, all that invokes a function points to its alias, which moves step by step', () => {
  const release = {
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    provisionedConcurrency: { 'front-door': 2, payment: 3 },
  };
  const { app, stack } = foreign({
    reeve: { release, tracing: true },
    context: { '@aws-cdk/core:failSynthOnValidationErrors': false },
  });
  const released = Template.fromStack(stack);
  const own = (type: string) => all(type, released).filter(({ id }) => id.startsWith('Orders'));
  const aliases = own('AWS::Lambda::Alias');
  expect(aliases).toHaveLength(8);
  const started = aliases.flatMap(({ ProvisionedConcurrencyConfig: config }) =>
    config === undefined ? [] : [config.ProvisionedConcurrentExecutions],
  );
  expect(started.toSorted()).toEqual([2, 3]);
  // The existing function is not of this Reeve, and has no alias of it.
  const targets = all('AWS::Lambda::EventSourceMapping', released)
    .filter(({ id }) => id.startsWith('Orders'))
    .map(({ FunctionName }) => JSON.stringify(FunctionName));
  expect(targets.length).toBeGreaterThan(8);
  for (const target of targets) expect(target).toMatch(/Live[0-9A-F]{8}/);
  const [integration] = own('AWS::ApiGatewayV2::Integration');
  expect(JSON.stringify(integration)).toMatch(/FrontDoorFunctionLive[0-9A-F]{8}/);
  const groups = own('AWS::CodeDeploy::DeploymentGroup');
  expect(groups).toHaveLength(8);
  for (const { AlarmConfiguration } of groups) {
    expect(AlarmConfiguration.Alarms).toHaveLength(1);
  }
  const functions = own('AWS::Lambda::Function').filter(
    ({ Description }) => Description !== undefined,
  );
  for (const { TracingConfig } of functions) expect(TracingConfig).toEqual({ Mode: 'Active' });
  const supervisor = functions.find(({ Description }) => Description === 'Reeve: Supervisor');
  expect(supervisor?.['Environment'].Variables.REEVE_ALIAS).toBe('live');
  // A sweep that is late is useless, also by the alias.
  const invoked = own('AWS::Lambda::EventInvokeConfig').map((one) => JSON.stringify(one));
  expect(invoked).toHaveLength(1);
  expect(invoked[0]).toMatch(/Live[0-9A-F]{8}/);
  expect(findingsAt(app).filter(({ at }) => at.startsWith('Shop/Orders/'))).toEqual([]);
});

test('provisioned concurrency for a function that there is not is refused', () => {
  const reeve = inStack({ release: { provisionedConcurrency: { frontdoor: 2 } } });
  expect(() => Template.fromStack(Stack.of(reeve))).toThrow('has no function `frontdoor`');
});

test('provisioned concurrency for an existing function is refused: it has no alias of this Reeve', () => {
  const { stack } = foreign({ reeve: { release: { provisionedConcurrency: { mailing: 2 } } } });
  expect(() => Template.fromStack(stack)).toThrow('has no function `mailing`');
});

test('thresholds of alarms are as given, and otherwise the defaults', () => {
  const found = Template.fromStack(
    Stack.of(inStack({ alarms: { ordersPastDue: 7, oldMessage: Duration.minutes(9) } })),
  );
  const thresholds = (metric: string) =>
    all('AWS::CloudWatch::Alarm', found).flatMap(({ MetricName, Threshold, Statistic }) =>
      MetricName === metric ? [`${Statistic} ${Threshold}`] : [],
    );
  expect(thresholds('OrdersPastDue')).toEqual(['Sum 7']);
  expect(thresholds('HeldAge')).toEqual(['Maximum 900']);
  expect(thresholds('ApproximateAgeOfOldestMessage').toSorted()).toEqual([
    // The messages of the ready queue are delayed by up to 15 minutes.
    'Maximum 1440',
    'Maximum 1800',
  ]);
});

test.each([
  [1, '300 3 of 3', '300 2 of 2'],
  [4, '300 3 of 3', '300 2 of 2'],
  [5, '300 3 of 4', '300 2 of 3'],
  [15, '900 3 of 4', '900 2 of 3'],
])(
  'with a sweep every %i minutes, each period of the alarms on sweeps has one, or one more period is looked at',
  (sweepMinutes, pastDue, behind) => {
    const found = Template.fromStack(Stack.of(inStack({ sweepMinutes })));
    const periods = (metric: string) =>
      all('AWS::CloudWatch::Alarm', found).flatMap(
        ({ MetricName, Period, EvaluationPeriods: of, DatapointsToAlarm = of }) =>
          MetricName === metric ? [`${Period} ${DatapointsToAlarm} of ${of}`] : [],
      );
    expect(periods('OrdersPastDue')).toEqual([pastDue]);
    expect(periods('SweepLag')).toEqual([behind]);
  },
);

test('the API answers at a domain of the application', () => {
  const stack = new Stack(new App({ context: unstaged }), 'Shop');
  const domainName = DomainName.fromDomainNameAttributes(stack, 'Domain', {
    name: 'orders.example.com',
    regionalDomainName: 'd-1.execute-api.eu-west-1.amazonaws.com',
    regionalHostedZoneId: 'Z1',
  });
  const reeve = new Reeve(stack, 'Orders', { workflows, bundle, domainName });
  expect(reeve.apiUrl).toBe('https://orders.example.com');
  Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
    DomainName: 'orders.example.com',
  });
});

test('where the CDK needs no code, none is bundled', () => {
  const refusing = () => {
    throw new Error('nothing is to be bundled');
  };
  const reeve = inStack(
    { bundle: refusing, workflows: 'missing.ts' },
    { 'aws:cdk:bundling-stacks': [] },
  );
  const { function: worker } = reeve.addAgent({ name: 'tax', module: 'missing.ts', export: 'tax' });
  expect(worker).toBeInstanceOf(LambdaFunction);
  expect(() => Template.fromStack(Stack.of(reeve))).not.toThrow();
});

test('without esbuild the error says how to install it', () => {
  const missing = () => {
    throw new Error('Cannot find module');
  };
  const run = () => runEsbuildProgram('bundle', {}, missing);
  expect(run).toThrow('npm i -D esbuild');
});
