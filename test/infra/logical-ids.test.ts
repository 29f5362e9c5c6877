/**
 * The resources of the stack under their logical ids, with the names that they are given. A changed logical id replaces a
 * deployed resource, which for a table means that its orders stay behind in the old one.
 */
import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { stackWith, templateOf } from './scenario.ts';

/** Properties by which a resource is named; a changed name replaces it as well. */
const names = ['QueueName', 'DashboardName', 'EventBusName'];
const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function linesOf(template: Template): string[] {
  const { Resources = {}, Outputs = {} } = template.toJSON();
  const resources = Object.entries(Resources).map(([id, given]) => {
    const { Type, Properties } = resource.parse(given);
    const named = names.flatMap((name) => (name in Properties ? [textOf(Properties[name])] : []));
    return [Type, id, ...named].join(' ');
  });
  return [...resources, ...Object.keys(Outputs).map((id) => `Output ${id}`)].toSorted();
}

const webhook = {
  url: 'https://shop.example/hook',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
};
const everything = {
  priorities: ['high', 'normal', 'low'],
  recovery: 'prompt',
  submissionQueue: true,
  alarmEmail: 'ops@example.com',
  webhooks: { shop: webhook },
  eventBus: 'orders',
  responseQueues: { till: 'arn:aws:sqs:eu-west-1:123456789012:till' },
  kmsKey: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/bound',
  corsOrigins: ['https://shop.example.com'],
};
const jwt = { issuer: 'https://id.example.com', audience: ['reeve'] };
const stacks = {
  'all defaults': () => templateOf(),
  'every part, and an agent that runs elsewhere': () => templateOf(everything, ['billing']),
  'tokens, a console and a stack name': () =>
    Template.fromStack(
      stackWith(
        [{ name: 'billing' }],
        { jwt, console: { clientId: 'c-1' } },
        { stackName: 'reeve-prod' },
      ),
    ),
};

const known = new Map(
  readFileSync('test/infra/logical-ids.txt', 'utf8')
    .trimEnd()
    .split('\n\n')
    .map((block) => block.split('\n'))
    .map(([title = '', ...lines]) => [title.replace('# ', ''), lines]),
);

test.each(Object.entries(stacks))(
  '%s: no logical id, output or name of a resource has changed',
  (title, made) => {
    expect(linesOf(made())).toEqual(known.get(title));
  },
  60_000,
);
