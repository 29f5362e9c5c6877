/** Parts that another stack of the app makes, or the parent of a nested one, beside the other parameters. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Alias, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, inject, test } from 'vitest';
import { versionOf } from '#infra/deployment/given.ts';
import { Reeve } from '#infra/reeve.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';

/** Without code: what is tested here does not depend on it. */
const newApp = () =>
  new App({
    context: { 'aws:cdk:bundling-stacks': [] },
    outdir: mkdtempSync(join(inject('temporaryFolder'), 'others-')),
  });

const others: Partial<ReeveProps> = {
  ...{ recovery: 'prompt', submissionQueue: true, priorities: ['high', 'normal'] },
  ...{ batchWindowSeconds: 30, eventChannels: ['feed'], deployment: 'shop' },
};

type Make = (from: Stack) => Partial<ReeveProps>;
const parts: Readonly<Record<string, Make>> = {
  topic: (from) => ({ alarmTopic: new Topic(from, 'Topic') }),
  key: (from) => ({ encryptionKey: new Key(from, 'Key') }),
  'response queue': (from) => {
    const encryptionMasterKey = new Key(from, 'QueueKey');
    return { responseQueues: { shop: new Queue(from, 'Queue', { encryptionMasterKey }) } };
  },
  bus: (from) => ({ eventBus: new EventBus(from, 'Bus') }),
  secret: (from) => {
    const secret = new Secret(from, 'Secret', { encryptionKey: new Key(from, 'SecretKey') });
    return { webhooks: { crm: { url: 'https://crm.example/hook', secret } } };
  },
  network: (from) => ({ vpc: new Vpc(from, 'Vpc') }),
};
const cases: [string, Make][] = [
  ...Object.entries(parts),
  ['all of them', (from) => Object.assign({}, ...Object.values(parts).map((make) => make(from)))],
];

/** Reeve with agents of two forms. */
function reeveIn(stack: Stack, props: Partial<ReeveProps>): Reeve {
  const reeve = new Reeve(stack, 'Orders', { workflows: 'missing.ts', ...others, ...props });
  reeve.addAgent({ name: 'payment', module: 'missing.ts', export: 'payment', maxConcurrency: 6 });
  reeve.addAgent({ name: 'billing' });
  return reeve;
}

/** The names of stacks are long, so that CloudFormation shortens them in the names of rules. */
const long = 'a-shop-with-a-name-of-many-words';

test.each(cases)('the %s of another stack of the app can be deployed', (_, make) => {
  const app = newApp();
  const base = new Stack(app, 'Base', { stackName: `${long}-base` });
  const stack = new Stack(app, 'Shop', { stackName: long });
  reeveIn(stack, make(base));
  // Throws for a cycle between stacks, and for one between resources of a stack.
  for (const one of [base, stack]) Template.fromStack(one);
});

test.each(cases)('the %s of the stack around a nested one can be deployed', (_, make) => {
  const stack = new Stack(newApp(), 'Shop', { stackName: long });
  const nested = new NestedStack(stack, 'Inner');
  reeveIn(nested, make(stack));
  for (const one of [stack, nested]) Template.fromStack(one);
});

test.each(cases)('the %s beside a nested stack, in another one, can be deployed', (_, make) => {
  const stack = new Stack(newApp(), 'Shop', { stackName: long });
  const base = new NestedStack(stack, 'Base');
  const nested = new NestedStack(stack, 'Inner');
  reeveIn(nested, make(base));
  for (const one of [stack, base, nested]) Template.fromStack(one);
});

/** The names of the resources that may use the topic, and write with the key, after the account. */
function allowedNames(template: Template): string[] {
  const policies = [
    ...Object.values(template.findResources('AWS::SNS::TopicPolicy')),
    ...Object.values(template.findResources('AWS::KMS::Key')),
  ];
  const names = JSON.stringify(policies).matchAll(/":((?:alarm|log-group):[^"]+|rule\/[^"]+)"/g);
  return [...names].map(([, name]) => name ?? '').toSorted();
}

test.each([
  [long, 'a-shop-with-a-name-o*'],
  ['shop', 'shop-*'],
])(
  'alarms, alerts and logs of the stack %s may use its topic and key, also where CloudFormation shortens names',
  (stackName, pattern) => {
    const app = newApp();
    const base = new Stack(app, 'Base');
    const stack = new Stack(app, 'Shop', { stackName });
    const nested = new NestedStack(stack, 'Inner');
    const given = { alarmTopic: new Topic(base, 'Topic'), encryptionKey: new Key(base, 'Key') };
    reeveIn(nested, given);
    expect(allowedNames(Template.fromStack(base))).toEqual([
      `alarm:${pattern}`,
      `log-group:${pattern}`,
      `rule/*/${pattern}`,
      `rule/${pattern}`,
    ]);
  },
);

const newFunction = (scope: Stack) =>
  new LambdaFunction(scope, 'Function', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
  });

test('a function of another stack of the app is refused, with what to do', () => {
  const app = newApp();
  const base = new Stack(app, 'Base');
  const stack = new Stack(app, 'Shop');
  const nested = new NestedStack(stack, 'Inner');
  const made = newFunction(base);
  const alias = new Alias(base, 'Alias', {
    aliasName: 'live',
    version: versionOf(made.currentVersion),
  });
  for (const [reeve, given] of [
    [reeveIn(stack, {}), made],
    [reeveIn(nested, { deployment: 'inner' }), newFunction(stack)],
    [reeveIn(new Stack(app, 'Third'), { deployment: 'third' }), alias],
  ] as const) {
    const { path } = reeve.node;
    expect(() => reeve.addAgent({ name: 'mailing', function: given })).toThrow(
      `The function of the agent \`mailing\` of ${path} is made in the stack ${Stack.of(given).node.path}, and Reeve in ${Stack.of(reeve).node.path}: each of the two would need the other one to be deployed first. Make the function in ${Stack.of(reeve).node.path}, or import it there with its role, \`Function.fromFunctionAttributes(…)\`.`,
    );
  }
});

test('a function that is imported into the stack of Reeve, with its role, is an agent with the rights of one', () => {
  const stack = new Stack(newApp(), 'Shop');
  const reeve = reeveIn(stack, { encryptionKey: new Key(stack, 'Key') });
  const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:mailing';
  const imported = LambdaFunction.fromFunctionAttributes(stack, 'Mailing', {
    functionArn,
    role: Role.fromRoleName(stack, 'MailingRole', 'mailing'),
    sameEnvironment: true,
  });
  expect(reeve.addAgent({ name: 'mailing', function: imported }).function).toBe(imported);
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', { FunctionName: 'mailing' });
  const policies = template.findResources('AWS::IAM::Policy', {
    Properties: { Roles: ['mailing'] },
  });
  for (const action of ['sqs:ReceiveMessage', 'sqs:SendMessage', 'dynamodb:', 'kms:Decrypt']) {
    expect(JSON.stringify(policies)).toContain(`"${action}`);
  }
  // Lambda refuses a mapping as long as the role may not receive from the queue: a function that is made here waits for its policy, this one is there.
  const mappings = Object.values(
    template.findResources('AWS::Lambda::EventSourceMapping', {
      Properties: { FunctionName: 'mailing' },
    }),
  );
  expect(mappings).not.toEqual([]);
  for (const { DependsOn } of mappings) expect(DependsOn).toEqual(Object.keys(policies));
});

const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:mailing';

test.each(['Shared', 'Shop'])(
  'of a function that is imported into %s, a role of another stack is refused: its rights would be deployed after the mappings that need them',
  (of) => {
    const app = newApp();
    const shared = new Stack(app, 'Shared');
    const stack = new Stack(app, 'Shop');
    const imported = LambdaFunction.fromFunctionAttributes(of === 'Shop' ? stack : shared, 'F', {
      functionArn,
      role: Role.fromRoleName(shared, 'MailingRole', 'mailing'),
      sameEnvironment: true,
    });
    expect(() => reeveIn(stack, {}).addAgent({ name: 'mailing', function: imported })).toThrow(
      'The role of the function of the agent `mailing` of Shop/Orders is in the stack Shared, and Reeve in Shop, which needs the rights of the role first. Make or import both, the function and its role, in Shop',
    );
  },
);

test('a function that is imported into another stack of the app without its role is an agent: nothing of that stack needs to be deployed first', () => {
  const app = newApp();
  const shared = new Stack(app, 'Shared');
  const reeve = reeveIn(new Stack(app, 'Shop'), {});
  const imported = LambdaFunction.fromFunctionAttributes(shared, 'Mailing', {
    ...{ functionArn, sameEnvironment: true },
  });
  reeve.addAgent({ name: 'mailing', function: imported });
  const mappings = app
    .synth()
    .stacks.map(({ template }) => Template.fromJSON(template))
    .flatMap((template) =>
      Object.values(
        template.findResources('AWS::Lambda::EventSourceMapping', {
          Properties: { FunctionName: 'mailing' },
        }),
      ),
    );
  expect(mappings).not.toEqual([]);
});

test.each<[string, Make]>([
  ['responseQueues.shop', (from) => ({ responseQueues: { shop: new Queue(from, 'Queue') } })],
  ['eventBus', (from) => ({ eventBus: new EventBus(from, 'Bus') })],
  ['alarmTopic', (from) => ({ alarmTopic: new Topic(from, 'Topic') })],
  ['encryptionKey', (from) => ({ encryptionKey: new Key(from, 'Key') })],
])('a part of another region is refused: %s', (name, make) => {
  const app = newApp();
  const account = '123456789012';
  const base = new Stack(app, 'Base', { env: { account, region: 'us-east-1' } });
  const stack = new Stack(app, 'Shop', { env: { account, region: 'eu-west-1' } });
  expect(() => reeveIn(stack, make(base))).toThrow(
    `\`${name}\` of Shop/Orders is in the region us-east-1, and Shop/Orders in eu-west-1. Give one of the region eu-west-1.`,
  );
});

test('a queue that is imported from another region is refused where the region of the stack is known', () => {
  const app = newApp();
  const arn = 'arn:aws:sqs:us-east-1:123456789012:answers';
  const propsIn = (stack: Stack) => ({
    responseQueues: { shop: Queue.fromQueueArn(stack, 'Queue', arn) },
  });
  const env = { account: '123456789012', region: 'eu-west-1' };
  const known = new Stack(app, 'Known', { env });
  expect(() => reeveIn(known, propsIn(known))).toThrow('`responseQueues.shop` of Known/Orders');
  const same = new Stack(app, 'Same', { env: { ...env, region: 'us-east-1' } });
  expect(() => reeveIn(same, propsIn(same))).not.toThrow();
  const unknown = new Stack(app, 'Unknown');
  expect(() => reeveIn(unknown, propsIn(unknown))).not.toThrow();
});

test.each<[string, Make]>([
  [
    'eventBus',
    (from) => ({
      eventBus: EventBus.fromEventBusArn(
        from,
        'Bus',
        'arn:aws:events:eu-west-1:999999999999:event-bus/default',
      ),
    }),
  ],
  [
    'alarmTopic',
    (from) => ({
      alarmTopic: Topic.fromTopicArn(from, 'Topic', 'arn:aws:sns:eu-west-1:999999999999:alarms'),
    }),
  ],
  [
    'tables.processes',
    (from) => ({
      tables: {
        orders: TableV2.fromTableName(from, 'OrdersTable', 'orders'),
        processes: TableV2.fromTableAttributes(from, 'Processes', {
          tableArn: 'arn:aws:dynamodb:eu-west-1:999999999999:table/processes',
          tableStreamArn: 'arn:aws:dynamodb:eu-west-1:999999999999:table/processes/stream/1',
        }),
        coordination: TableV2.fromTableName(from, 'Coordination', 'coordination'),
      },
    }),
  ],
])('a part of another account is refused: %s', (name, make) => {
  const env = { account: '123456789012', region: 'eu-west-1' };
  const stack = new Stack(newApp(), 'Shop', { env });
  expect(() => reeveIn(stack, make(stack))).toThrow(
    `\`${name}\` of Shop/Orders is in the account 999999999999, and Shop/Orders in 123456789012. Give one of the account 123456789012.`,
  );
});

test('a response queue of another account is accepted: its address has the account', () => {
  const env = { account: '123456789012', region: 'eu-west-1' };
  const stack = new Stack(newApp(), 'Shop', { env });
  const shop = Queue.fromQueueArn(stack, 'Answers', 'arn:aws:sqs:eu-west-1:999999999999:answers');
  expect(() => reeveIn(stack, { responseQueues: { shop } })).not.toThrow();
});
