/**
 * Limits of AWS that neither an emulator nor cfn-lint checks: the largest stack satisfies them, and a larger one is
 * rejected before the deployment.
 */
import { readFileSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { deadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import type { StackAgentProps } from '#infra/agents/configured-agents.ts';
import { awsLimits, measures } from '#infra/checks/aws-limits.ts';
import { worstCase } from '#infra/checks/worst-case.ts';
import { stackWith, synthesised } from './scenario.ts';

/** Names of the maximum length. */
const longName = (what: string, at: number) => `${what}${at}-`.padEnd(40, 'x');
const handler = 'lambdas/agents/payment.ts';
const agentsOf = (
  count: number,
  props: { readonly handler?: string } = { handler },
): StackAgentProps[] =>
  Array.from({ length: count }, (_, at) => {
    const name = longName('agent', at);
    return props.handler === undefined ? { name } : { name, handler: props.handler };
  });
const named = (count: number, value: (at: number) => unknown) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [longName('channel', at), value(at)]),
  );

const priorities = ['high', 'normal', 'low'];
const jwt = { issuer: 'https://id.example.com/'.padEnd(200, 'x'), audience: ['reeve'] };
/** Everything that can be enabled together. */
const everything = {
  priorities,
  submissionQueue: true,
  alarmEmail: 'ops@example.com',
  jwt,
  console: { clientId: 'c'.repeat(64), tokenOrigin: 'https://sign-in.example.com' },
  eventChannels: [longName('event', 0)],
  corsOrigins: ['https://shop.example.com'],
  eventBus: 'b'.repeat(256),
  reservedConcurrency: { supervisor: 9, notifier: 11 },
  kmsKey: 'arn:aws:kms:ap-southeast-2:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab',
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/bound',
  tags: { team: 'orders' },
  responseQueues: { shop: `arn:aws:sqs:ap-southeast-2:123456789012:${'q'.repeat(80)}` },
};
const stackName = 'reeve-'.padEnd(128, 'x');

/** The largest amount of each kind. */
function largest(stack: Stack): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { limit, amount } of measures(stack)) {
    found[limit] = Math.max(found[limit] ?? 0, amount);
  }
  return found;
}

describe('12 agents in 3 priority classes, all names of the maximum length, in ap-southeast-2', () => {
  const stack = synthesised(agentsOf(12), everything, { stackName });

  test('every function has at most 3,800 bytes of environment, as Lambda counts them', () => {
    const environments = measures(stack).filter(({ limit }) => limit === 'environment');
    expect(environments).toHaveLength(17);
    for (const { of, amount } of environments) {
      expect({ of, amount: amount <= 3_800 }).toEqual({ of, amount: true });
    }
  });

  test('every other limit is satisfied as well', () => {
    const found = largest(stack);
    expect(Object.keys(found).toSorted()).toEqual(Object.keys(awsLimits).toSorted());
    for (const [limit, max] of Object.entries(awsLimits)) {
      expect(found[limit], limit).toBeLessThanOrEqual(max);
    }
  });
});

test('12 agents with 8 limits each, all names of the maximum length, satisfy the limits too', () => {
  const workflows = 'test/infra/many-limits.ts';
  const all = measures(synthesised(agentsOf(12), everything, { stackName, workflows }));
  const without = measures(synthesised(agentsOf(12), everything, { stackName }));
  const environments = (of: typeof all) => of.filter(({ limit }) => limit === 'environment');
  expect(environments(all)).toEqual(environments(without));
  for (const { limit, of, amount } of all)
    expect({ of, amount: amount <= awsLimits[limit] }).toEqual({ of, amount: true });
});

test('12 agents that run elsewhere satisfy the limits too', () => {
  const found = largest(synthesised(agentsOf(12, {}), everything, { stackName }));
  expect(found).toMatchObject({ outputs: expect.any(Number), managedPolicy: expect.any(Number) });
  for (const [limit, max] of Object.entries(awsLimits)) {
    expect(found[limit] ?? 0, limit).toBeLessThanOrEqual(max);
  }
});

test.each([
  ['three priority classes', priorities, 13],
  ['two', ['high', 'normal'], 15],
  ['one', ['normal'], 18],
])('the largest stack with %s is the one that docs/aws.md names', (classes, all, agents) => {
  expect(readFileSync('docs/aws.md', 'utf8')).toContain(`| ${classes} | ${agents} |`);
  const settings = { ...everything, priorities: all };
  const refuses = (count: number) => () => synthesised(agentsOf(count), settings, { stackName });
  expect(refuses(agents)).not.toThrow();
  expect(refuses(agents + 1)).toThrow('AWS allows');
});

test('a stack that AWS would reject is rejected at synthesis, with the exceeded limit and the amount', () => {
  const responseQueues = named(30, () => everything.responseQueues.shop);
  const refused = () => Template.fromStack(stackWith(agentsOf(1), { responseQueues }));
  expect(refused).toThrow(
    /Reeve\/Default\/FrontDoor\/Function\/Resource: \d{4} bytes of environment variables, but AWS allows 4096/,
  );
  expect(() => Template.fromStack(stackWith(agentsOf(30), { priorities }))).toThrow(
    /\d+ resources, but AWS allows 500/,
  );
});

const origins = Array.from({ length: 120 }, (_, at) => `https://shop-${at}.example.com`);
const weights = Object.fromEntries(
  Array.from({ length: 100 }, (_, at) => [longName('tenant', at), 2]),
);
const channels = named(30, () => everything.responseQueues.shop);

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'corsOrigins',
    { corsOrigins: origins },
    /: REEVE_CORS_ORIGINS has 3\d\d\d bytes \(give fewer `corsOrigins`\)/,
  ],
  [
    'tenantWeights',
    { tenantWeights: weights },
    /: REEVE_TENANT_WEIGHTS has 4\d\d\d bytes \(give fewer tenants a weight in `tenantWeights`\)/,
  ],
  [
    'response channels',
    { responseQueues: channels },
    /: REEVE_RESPONSE_CHANNELS has 5\d\d\d bytes \(register fewer response channels, or give them shorter names\), REEVE_JWT has 1\d\d bytes \(/,
  ],
])(
  '%s that are too many for a function are named, with their bytes, before what is smaller',
  (...row) => {
    const [, settings, said] = row;
    expect(() => Template.fromStack(stackWith(agentsOf(1), { ...settings, jwt }))).toThrow(
      new RegExp(`FrontDoor/Function/Resource: .*The largest that can be smaller${said.source}`),
    );
  },
);

test('an environment that is too large by the variables of its own names those', () => {
  const environment = { SMALL: 'x', LARGE: 'x'.repeat(4_000), QUOTES: '"'.repeat(100) };
  expect(() => Template.fromStack(stackWith([{ name: 'a', handler, environment }], {}))).toThrow(
    /Agent-a\/Agent\/Resource: .*: LARGE has 4011 bytes \(give the function a shorter `environment`\), QUOTES has 212 bytes \([^)]*\)\.$/m,
  );
});

test('Lambda counts the JSON of all variables, with quotes escaped and addresses at their longest', () => {
  const stack = stackWith([{ name: 'a', handler, environment: { QUOTES: '"""' } }], {});
  const found = measures(stack).find(({ of }) => of === 'Reeve/Default/Agent-a/Agent/Resource');
  const at = 'https://sqs.ap-southeast-2.amazonaws.com/123456789012/Reeve';
  const [coordination] = Object.keys(Template.fromStack(stack).toJSON()['Resources']).filter(
    (name) => name.startsWith('StateStoreCoordination'),
  );
  const text = JSON.stringify({
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_SERVICE_NAME: 'Reeve',
    QUOTES: '"""',
    REEVE_COORDINATION_TABLE: `Reeve-${coordination}-${'X'.repeat(13)}`,
    REEVE_DEPLOYMENT: 'Reeve',
    REEVE_QUEUES: at,
    REEVE_REPLY_QUEUE: `${at}_reply_a`,
  });
  expect(found).toMatchObject({ limit: 'environment', amount: text.length });
});

test('the output DeadLetters names each dead-letter queue of the template, and its source queues', () => {
  const webhook = {
    url: 'https://shop.example/hook',
    secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
  };
  const stack = stackWith(agentsOf(2), { ...everything, webhooks: named(2, () => webhook) });
  const longest = worstCase(stack);
  const output = stack.node.findChild('Default').node.findChild('DeadLetters');
  const queues = deadLetterQueues(String(longest(Reflect.get(output, 'value'))));
  const known = Object.values(queues).flatMap(({ dead, sources }) => [
    dead,
    ...Object.values(sources ?? {}),
  ]);
  const names = known.map((url) => url.slice(url.lastIndexOf('/') + 1));
  const template = Template.fromStack(stack);
  const deployed = Object.values(template.findResources('AWS::SQS::Queue'));
  expect([...new Set(names)].toSorted()).toEqual(
    deployed.map(({ Properties }) => Properties.QueueName).toSorted(),
  );
});

test('no name of a queue is longer than SQS allows, and two long stack names differ', () => {
  const prefixes = ['x', 'y'].map((end) => {
    const stack = stackWith(agentsOf(1), everything, {
      stackName: `${'reeve-'.padEnd(127, 'x')}${end}`,
    });
    const queues = Object.values(Template.fromStack(stack).findResources('AWS::SQS::Queue'));
    const names: string[] = queues.map(({ Properties }) => Properties.QueueName);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(80);
    return names[0]?.split('_')[0];
  });
  expect(prefixes[0]).not.toBe(prefixes[1]);
});

test('the pages have the number and the price of the alarms of the shipped workflow', () => {
  const agents = ['fraud', 'inventory', 'payment', 'shipping'];
  const shipped = Template.fromStack(
    stackWith(agents.map((name) => ({ name, handler: `lambdas/agents/${name}.ts` }))),
  );
  const alarms = Object.values(shipped.findResources('AWS::CloudWatch::Alarm'));
  // One that computes is priced by the metrics that it reads.
  const priced = alarms.flatMap(({ Properties: { Metrics } }) =>
    Metrics === undefined ? [1] : Metrics.filter((one: object) => 'MetricStat' in one),
  );
  const written =
    /Alarms are \$0\.10 each: (\d+) of them for\s+the shipped workflow, \$([\d.]+) a month/;
  const [, number, dollars] = written.exec(readFileSync('docs/aws.md', 'utf8')) ?? [];
  const price = (priced.length / 10).toFixed(2);
  expect([number, dollars]).toEqual([String(alarms.length), price]);
  expect(readFileSync('docs/figures.md', 'utf8')).toMatch(
    new RegExp(`AWS: a month without orders, and its alarms \\| \\$[\\d.]+, \\$${price} \\|`),
  );
  expect(readFileSync('docs/why-not-step-functions.md', 'utf8')).toContain(
    `$${price} for its alarms`,
  );
});
