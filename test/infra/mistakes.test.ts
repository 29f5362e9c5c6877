/** Mistakes in an app that the types do not hold: each stops the synthesis with a sentence, and not the deployment or an order. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, NestedStack, Stack, Token } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Alias, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, inject, test } from 'vitest';
import type { AgentProps } from '#infra/agents/agent-props.ts';
import { configuredAgents } from '#infra/agents/configured-agents.ts';
import { versionOf } from '#infra/deployment/given.ts';
import { Reeve } from '#infra/reeve.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';
import { sharedBundle } from '../support/shared-bundle.ts';

const bundle = sharedBundle();
const workflows = 'test/infra/mistakes/workflows.ts';
const module = 'test/infra/mistakes/agents.ts';
const handler = 'lambdas/agents/payment.ts';

/** As from code without types. */
const untyped = (value: unknown) => Object(value);

function appIn(context: Readonly<Record<string, unknown>> = {}): App {
  const outdir = mkdtempSync(join(inject('temporaryFolder'), 'mistakes-'));
  return new App({ outdir, context: { 'aws:cdk:disable-asset-staging': true, ...context } });
}

function reeveWith(props: Partial<ReeveProps> = {}, stack = new Stack(appIn(), 'Shop')): Reeve {
  return new Reeve(stack, 'Orders', { workflows, bundle, ...props });
}

const withAgents = (...agents: readonly AgentProps[]): Reeve => {
  const reeve = reeveWith();
  for (const agent of agents) reeve.addAgent(agent);
  return reeve;
};

const synthesised = (reeve: Reeve) => Template.fromStack(Stack.of(reeve));

const others = [{ name: 'bank-east' }, { name: 'bank-west' }] as const;
const payment = { name: 'payment', module, export: 'paymentAgent' } as const;
const shipping = { name: 'shipping', module, export: 'shippingAgent' } as const;

test('with exactly the agents of its workflows it is synthesised', () => {
  const reeve = withAgents(payment, shipping, ...others);
  expect(() => synthesised(reeve)).not.toThrow();
  expect(Annotations.fromStack(Stack.of(reeve)).findInfo('*', Match.anyValue())).toEqual([]);
});

test('an agent of a step, or of a pool, that was not added is named with its steps', () => {
  const reeve = withAgents(payment, { name: 'bank-east' });
  const synthesis = () => synthesised(reeve);
  expect(synthesis).toThrow(
    'Shop/Orders has no agent `shipping`, which `ship` of workflow sale 2 calls. Add it by `addAgent`',
  );
  expect(synthesis).toThrow('no agent `bank-west`, which `transfer` of workflow sale 2 calls');
  expect(synthesis).not.toThrow('bank`');
});

test('an agent that no workflow has is named, with the agent that is probably meant', () => {
  const reeve = withAgents(payment, { name: 'shiping' }, ...others);
  expect(() => synthesised(reeve)).toThrow(
    'No step of the workflows in test/infra/mistakes/workflows.ts calls the agent `shiping` of Shop/Orders. Did you mean `shipping`?',
  );
});

test.each([
  ['paymentAgent', 'is the implementation of the agent `payment`'],
  ['contract', 'is not the implementation of an agent'],
])('the export %s, which %s, is refused as the agent shipping', (name, what) => {
  const reeve = withAgents(payment, { ...shipping, export: name }, ...others);
  expect(() => synthesised(reeve)).toThrow(
    `The agent \`shipping\` of Shop/Orders has the export \`${name}\` of ${module}, which ${what}.`,
  );
});

test('a module that only its function can load is no error, and a note says that it was not checked', () => {
  const strict = 'test/infra/mistakes/strict-agents.ts';
  const reeve = withAgents(payment, { ...shipping, module: strict }, ...others);
  synthesised(reeve);
  const [note] = Annotations.fromStack(Stack.of(reeve)).findInfo('*', Match.anyValue());
  expect(note?.entry.data).toContain(`${strict} cannot be loaded at synthesis (REMOTE_ADDRESS is`);
});

test('a module that ends its process is no error either', () => {
  const ending = 'test/infra/mistakes/ending-agents.ts';
  const reeve = withAgents(payment, { ...shipping, module: ending }, ...others);
  expect(() => synthesised(reeve)).not.toThrow();
  const [note] = Annotations.fromStack(Stack.of(reeve)).findInfo('*', Match.anyValue());
  expect(note?.entry.data).toContain(`${ending} cannot be loaded at synthesis (the process`);
});

test('an export `workflows` that is no list of built workflows is named', () => {
  expect(() => reeveWith({ workflows: 'test/infra/mistakes/unbuilt-workflows.ts' })).toThrow(
    'The workflows of test/infra/mistakes/unbuilt-workflows.ts cannot be loaded: The export `workflows` must be an array of workflows',
  );
});

test('a workflow with a schema that cannot be read is named', () => {
  expect(() => reeveWith({ workflows: 'test/infra/mistakes/unread-workflows.ts' })).toThrow(
    /unread-workflows\.ts cannot be loaded: Duplicate schema id "part"/,
  );
});

test('where the CDK needs no code, agents are not compared', () => {
  const stack = new Stack(appIn({ 'aws:cdk:bundling-stacks': [] }), 'Shop');
  expect(() => synthesised(reeveWith({ workflows: 'missing.ts' }, stack))).not.toThrow();
});

test.each(['scheduler', 'front-door', 'webhook-crm'])(
  'an agent with the name of the function %s is refused, because alarms and `functions` have it',
  (name) => {
    const stack = new Stack(appIn(), 'Shop');
    const secret = new Secret(stack, 'Secret');
    const reeve = reeveWith({ webhooks: { crm: { url: 'https://crm.example', secret } } }, stack);
    expect(() => reeve.addAgent({ name, handler })).toThrow(
      `\`${name}\` is the name of a function of Shop/Orders`,
    );
  },
);

test('an agent that is added twice is refused', () => {
  expect(() => withAgents(payment, payment)).toThrow(
    'Shop/Orders has an agent `payment` already. Add each agent once.',
  );
});

test('two agents elsewhere whose outputs would have one name are named', () => {
  expect(() => withAgents({ name: 'pay-1' }, { name: 'pay1' })).toThrow(
    'The agents `pay-1` and `pay1` of Shop/Orders have the same stack output, AgentPay1',
  );
  // Only agents that run elsewhere have an output.
  expect(() => withAgents({ name: 'pay-1' }, { ...payment, name: 'pay1' })).not.toThrow();
});

test('two Reeves of a stack whose outputs would have one name are named', () => {
  const app = appIn();
  const stack = new Stack(app, 'Shop');
  const make = (scope: Stack, id: string) => new Reeve(scope, id, { workflows, bundle });
  make(stack, 'a-b');
  expect(() => make(stack, 'ab')).toThrow(
    'The constructs Shop/a-b and Shop/ab have the same stack output, Reeveab',
  );
  expect(() => make(new Stack(app, 'Other'), 'ab')).not.toThrow();
});

/** As a parameter of CloudFormation. */
const later = Token.asNumber({ Ref: 'Parameter' });

test.each<[object, string]>([
  [{ name: 'Payment' }, '`name` must be up to 40 of a-z, 0-9 and "-"'],
  [{}, '`name` is missing'],
  [{ name: 'a', handler, module, export: 'a' }, 'has `module` and `handler`: give one of them'],
  [{ name: 'a', module }, '`export` is missing'],
  [{ name: 'a', module, export: 'a b' }, '`export` must be the name of an export'],
  [{ name: 'a', handler, export: 'a' }, '`export` is not a property of an agent with `handler`'],
  [{ name: 'a', memorySize: 512 }, '`memorySize` is not a property of an agent without code'],
  [{ name: 'a', handlr: 'a.ts' }, '(did you mean `handler`?)'],
  [{ name: 'a', handler, timeout: 30 }, '`timeout` must be a `Duration` of the CDK'],
  [{ name: 'a', handler, maxConcurrency: 1 }, '`maxConcurrency` must be a whole number from 2'],
  [{ name: 'a', handler, memorySize: 64 }, '`memorySize` must be a whole number from 128'],
  [{ name: 'a', function: 'arn:aws:lambda' }, '`function` must be a `lambda.IFunction` of the CDK'],
  [
    { name: 'a', handler, secrets: { KEY: 'arn' } },
    '`secrets.KEY` must be a `secretsmanager.ISecret`',
  ],
  [{ name: 'a', handler, secrets: { 'a-b': {} } }, '`secrets.a-b`'],
  [
    { name: 'a', handler, environment: { REEVE_QUEUES: 'x' } },
    '`environment.REEVE_QUEUES` is reserved',
  ],
  [{ name: 'a', handler, environment: { MAX: 5 } }, '`environment.MAX` must be a string'],
  [{ name: 'a', handler, vpcSubnets: {} }, '`vpcSubnets` needs `vpc`'],
  [{ name: 'a', handler, environment: { 'my-var': 'x' } }, '`environment.my-var` must be two'],
  [{ name: 'a', handler, environment: { A: 'x' } }, '`environment.A` must be two or more letters'],
  [
    {
      ...{ name: 'a', handler, environment: { KEY_ARN: 'x' } },
      secrets: { KEY: { secretArn: 'arn' } },
    },
    '`environment.KEY_ARN` is also the variable of the secret KEY',
  ],
  [{ name: 'a', handler, timeout: Duration.minutes(16) }, '`timeout` must be whole seconds from 1'],
  [{ name: 'a', handler, timeout: Duration.millis(500) }, '`timeout` must be whole seconds from 1'],
  [{ name: 'a', timeout: Duration.hours(13) }, '`timeout` must be whole seconds from 1 to 43,200'],
  [
    { name: 'a', timeout: Duration.seconds(later) },
    'cannot be a value that is known at deployment',
  ],
  [{ name: 'a', handler, timeout: Duration.seconds(later) }, '`timeout` must be whole seconds'],
  [{ name: 'a', handler, maxConcurrency: later }, 'cannot be a value that is known at deployment'],
])('the agent %j is refused', (agent, message) => {
  const add = () => reeveWith().addAgent(untyped(agent));
  expect(add).toThrow(message);
  expect(add).toThrow(/^Invalid agent.* of Shop\/Orders: /);
});

test.each<[object, string]>([
  [{ vcp: {} }, '`vcp` is not a property (did you mean `vpc`?)'],
  [{ services: {} }, '`services` is not a property'],
  [{ kmsKey: 'arn' }, '`kmsKey` is not a property (did you mean `encryptionKey`?)'],
  [{ vpc: 'vpc-1' }, '`vpc` must be an `ec2.IVpc` of the CDK, such as `Vpc.fromLookup(…)`'],
  [{ encryptionKey: 'arn:aws:kms' }, '`encryptionKey` must be a `kms.IKey` of the CDK'],
  [{ eventBus: 'orders' }, '`eventBus` must be an `events.IEventBus`'],
  [{ alarmTopic: 'arn:aws:sns' }, '`alarmTopic` must be an `sns.ITopic`'],
  [{ alarmTopic: { topicArn: 'arn:aws:sns:a:1:b.fifo' } }, '`alarmTopic` must be a standard topic'],
  [{ domainName: 'a.example.com' }, '`domainName` must be an `apigatewayv2.IDomainName`'],
  [{ responseQueues: { shop: 'arn:aws:sqs' } }, '`responseQueues.shop` must be an `sqs.IQueue`'],
  [{ tables: { orders: 'orders' } }, '`tables.orders` must be a `dynamodb.ITable`'],
  [
    { webhooks: { crm: { url: 'https://crm.example', secret: 'arn' } } },
    '`webhooks.crm.secret` must be a `secretsmanager.ISecret`',
  ],
  [{ alarms: { held: 20 } }, '`alarms.held` must be a `Duration`'],
  [{ alarms: { hold: Duration.hours(1) } }, '`alarms.hold` is not known here'],
  [
    { release: { provisionedConcurrency: { scheduler: 0 } } },
    '`release.provisionedConcurrency.scheduler`',
  ],
  [{ tracing: 'yes' }, '`tracing` must be true or false'],
  [{ workflows: undefined }, '`workflows` is missing'],
  [{ securityGroups: [] }, '`securityGroups` needs `vpc`'],
])('the properties %j are refused', (props, message) => {
  const make = () => reeveWith(untyped(props));
  expect(make).toThrow(message);
  expect(make).toThrow(/^Invalid properties of Shop\/Orders: /);
});

test('without properties, the one that is missing is named', () => {
  const stack = new Stack(appIn(), 'Shop');
  const make = () => Reflect.construct(Reeve, [stack, 'Orders']);
  expect(make).toThrow('Invalid properties of Shop/Orders: `workflows` is missing.');
  const add = () => Reflect.apply(Reeve.prototype.addAgent, reeveWith(), []);
  expect(add).toThrow('`name` is missing');
  const stackOf = (...props: readonly unknown[]) =>
    Reflect.construct(ReeveStack, [appIn(), 'Reeve', ...props]);
  const missing =
    '`settings` must be what `readSettings(app.node)` returns; `workflows` is missing; `agents` must be a list';
  expect(() => stackOf()).toThrow(`Invalid properties of the stack Reeve: ${missing}.`);
  const settings = readSettings(appIn().node);
  expect(() => stackOf({ settings, workflows, agents: [{}] })).toThrow('`agents.0.name`');
});

test('a FIFO queue is refused as a response queue, made in the app or known by its ARN', () => {
  const stack = new Stack(appIn(), 'Shop');
  const arn = 'arn:aws:sqs:eu-west-1:123456789012:till.fifo';
  const queues = [new Queue(stack, 'Q', { fifo: true }), Queue.fromQueueArn(stack, 'Till', arn)];
  for (const till of queues) {
    expect(() => reeveWith({ responseQueues: { till } })).toThrow(
      '`responseQueues.till` must be a standard queue: status messages have no message group',
    );
  }
});

test.each(['processes', 'orders'])('the three tables are three: a second %s is refused', (name) => {
  const stack = new Stack(appIn(), 'Data');
  const table = (id: string, named: string) => TableV2.fromTableName(stack, id, named);
  const [orders, processes] = [table('Orders', 'orders'), table('Processes', 'processes')];
  const tables = { orders, processes, coordination: table('Coordination', name) };
  expect(() => reeveWith({ tables })).toThrow('`tables` must be three different tables');
});

test('a function is one agent only', () => {
  const reeve = reeveWith();
  const existing = new LambdaFunction(Stack.of(reeve), 'Worker', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
  });
  reeve.addAgent({ name: 'payment', function: existing });
  expect(() => reeve.addAgent({ name: 'shipping', function: existing })).toThrow(
    'The function Shop/Worker is the agent `payment` of Shop/Orders already. Give the agent `shipping` of Shop/Orders a function of its own',
  );
});

test('two Reeves of one stack, or of one account and region, have names of their own', () => {
  const app = appIn();
  const stack = new Stack(app, 'Shop');
  new Reeve(stack, 'Orders', { workflows, bundle, deployment: 'shop' });
  const message = 'Shop/Orders has the name `shop` already';
  const again = (scope: Stack) => () =>
    new Reeve(scope, 'Returns', { workflows, bundle, deployment: 'shop' });
  expect(again(stack)).toThrow(message);
  expect(again(new NestedStack(stack, 'Inner'))).toThrow(message);
  // They may be deployed to accounts of their own.
  expect(again(new Stack(app, 'Other'))).not.toThrow();
  const env = { account: '123456789012', region: 'eu-west-1' };
  expect(again(new Stack(app, 'East', { env }))).not.toThrow();
  expect(again(new Stack(app, 'East2', { env }))).toThrow('East/Returns has the name `shop`');
  const elsewhere = { ...env, region: 'eu-central-1' };
  expect(again(new Stack(app, 'Central', { env: elsewhere }))).not.toThrow();
});

/** A function of the app beside the construct, which runs for five minutes at most. */
function functionBeside(
  stack: Stack,
  variables: Readonly<Record<string, string>> = {},
  timeout = Duration.minutes(5),
) {
  return new LambdaFunction(stack, 'Bank', {
    ...{ runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('bank') },
    ...{ timeout, environment: { ...variables } },
  });
}

test('an alias of a function is as the function: its timeout, and the variables', () => {
  const stack = new Stack(appIn(), 'Shop');
  const bank = functionBeside(stack);
  const alias = new Alias(stack, 'Live', {
    aliasName: 'live',
    version: versionOf(bank.currentVersion),
  });
  const reeve = reeveWith({}, stack);
  for (const agent of [payment, shipping, { name: 'bank-west' }]) reeve.addAgent(agent);
  reeve.addAgent({ name: 'bank-east', function: alias });
  const template = synthesised(reeve);
  template.hasResourceProperties('AWS::SQS::Queue', {
    QueueName: Match.stringLikeRegexp('_request_normal_bank-east$'),
    VisibilityTimeout: 6 * 300,
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Timeout: 300,
    Environment: { Variables: { REEVE_REPLY_QUEUE: Match.anyValue() } },
  });
});

test('a timeout that is shorter than that of the function is refused, because SQS would not invoke it', () => {
  const stack = new Stack(appIn(), 'Shop');
  const short = {
    name: 'bank-east',
    function: functionBeside(stack),
    timeout: Duration.minutes(1),
  };
  expect(() => reeveWith({}, stack).addAgent(short)).toThrow(
    'The `timeout` of the agent `bank-east` of Shop/Orders is shorter than that of its function, 5 minutes',
  );
});

test('an agent whose function has a timeout that is known at deployment only must have one of its own', () => {
  const stack = new Stack(appIn(), 'Shop');
  const bank = functionBeside(stack, {}, Duration.seconds(later));
  const reeve = reeveWith({}, stack);
  expect(() => reeve.addAgent({ name: 'bank-east', function: bank })).toThrow(
    'The timeout of the function of the agent `bank-east` of Shop/Orders is known at deployment only',
  );
  reeve.addAgent({ name: 'bank-west', function: bank, timeout: Duration.minutes(9) });
});

test.each([
  [7_199, 43_194],
  [7_201, 43_200],
  [43_200, 43_200],
])(
  'the requests of an agent elsewhere that may take %d s are hidden for %d s',
  (timeout, hidden) => {
    const reeve = withAgents(payment, shipping, { name: 'bank-west' });
    reeve.addAgent({ name: 'bank-east', timeout: Duration.seconds(timeout) });
    synthesised(reeve).hasResourceProperties('AWS::SQS::Queue', {
      QueueName: Match.stringLikeRegexp('_request_normal_bank-east$'),
      VisibilityTimeout: hidden,
    });
  },
);

test('the variables of a function beside Reeve count with those that Reeve adds', () => {
  const stack = new Stack(appIn(), 'Shop');
  const bank = functionBeside(stack, { OWN: 'x'.repeat(3_950) });
  const reeve = reeveWith({}, stack);
  for (const agent of [payment, shipping, { name: 'bank-west' }]) reeve.addAgent(agent);
  reeve.addAgent({ name: 'bank-east', function: bank });
  expect(() => synthesised(reeve)).toThrow(/Shop\/Bank.*bytes of environment variables/);
});

test('an agent may have the name of a property that each object has', () => {
  const app = appIn({ stage: 'dev' });
  const agents = [{ name: 'constructor', module, export: 'x', callsService: true as const }];
  const [agent] = configuredAgents(agents, readSettings(app.node));
  expect(agent).toMatchObject({
    environment: { REEVE_SERVICE_URL: 'https://constructor.invalid' },
  });
  expect(agent).not.toHaveProperty('maxConcurrency');
});
