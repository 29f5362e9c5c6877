/** A key of the account: what it encrypts, and the rights on it. */
import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { functionsOf, templateOf } from './scenario.ts';

const kmsKey = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const others = {
  submissionQueue: true,
  alarmEmail: 'ops@example.com',
  webhooks: {
    crm: {
      url: 'https://crm.example/hook',
      secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm-AbCdEf',
    },
  },
};
const standard = templateOf(others, ['billing']);
const encrypted = templateOf({ ...others, kmsKey }, ['billing']);

const resources = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

test('by default each service encrypts with a key of its own, and no role has a right on any other', () => {
  expect(JSON.stringify(standard.toJSON())).not.toMatch(
    /kms:|KmsMasterKeyId|KmsKeyId|KMSMasterKeyId/,
  );
});

test('every queue, table, topic and log group is encrypted with the key', () => {
  const queues = resources(encrypted, 'AWS::SQS::Queue');
  expect(queues.length).toBeGreaterThan(15);
  for (const queue of queues) {
    expect(queue).toMatchObject({ KmsMasterKeyId: kmsKey, KmsDataKeyReusePeriodSeconds: 3_600 });
    expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
  }
  const tables = resources(encrypted, 'AWS::DynamoDB::GlobalTable');
  expect(tables).toHaveLength(3);
  for (const { SSESpecification, Replicas } of tables) {
    expect(SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
    expect(Replicas).toMatchObject([{ SSESpecification: { KMSMasterKeyId: kmsKey } }]);
  }
  const topics = resources(encrypted, 'AWS::SNS::Topic').map((one) => one.KmsMasterKeyId);
  expect(topics).toEqual([kmsKey]);
  const logs = resources(encrypted, 'AWS::Logs::LogGroup').map((one) => one.KmsKeyId);
  expect(logs.length).toBeGreaterThan(5);
  expect(new Set(logs)).toEqual(new Set([kmsKey]));
});

const statementSchema = z.object({
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z
    .object({ StringLike: z.strictObject({ 'kms:ViaService': z.string() }).optional() })
    .optional(),
});
const policySchema = z.object({
  PolicyDocument: z.object({ Statement: z.array(statementSchema) }),
  Roles: z.array(z.object({ Ref: z.string() })).default([]),
  Description: z.string().default(''),
});

/** The rights on the key, by service; every statement names only this key. */
function keyRights(policies: readonly z.infer<typeof policySchema>[]): string[] {
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return statements
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')))
    .map(({ Action, Resource, Condition }) => {
      expect(Resource).toBe(kmsKey);
      return `${Condition?.StringLike?.['kms:ViaService']}: ${[Action].flat().toSorted().join(' ')}`;
    })
    .toSorted();
}

const at = (service: string, ...actions: string[]) =>
  `${service}.eu-west-1.*: ${actions.join(' ')}`;
const reads = at('dynamodb', 'kms:Decrypt');
const receives = at('sqs', 'kms:Decrypt');
const sends = at('sqs', 'kms:Decrypt', 'kms:GenerateDataKey');
const secret = at('secretsmanager', 'kms:Decrypt');

test.each([
  ['front door', [reads, sends]],
  ['Scheduler', [reads, sends]],
  ['Supervisor', [reads, sends]],
  ['notifier', [reads, sends]],
  ['submission by queue', [reads, sends]],
  ['agent payment', [reads, sends]],
  ['agent shipping', [reads, sends]],
  ['webhook crm', [secret, receives]],
])(
  '%s may use the key for its own data, only through the service that holds it',
  (name, rights) => {
    const all = resources(encrypted, 'AWS::IAM::Policy').map((one) => policySchema.parse(one));
    const [worker] = functionsOf(encrypted).filter(
      ({ Description }) => Description === `Reeve: ${name}`,
    );
    const role = worker?.Role['Fn::GetAtt'][0];
    const own = all.filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role));
    expect(keyRights(own)).toEqual(rights);
  },
);

test('in China, the condition of these rights is met by the names that services have there', () => {
  const region = 'cn-north-1';
  const inChina = templateOf({
    kmsKey: kmsKey.replace('aws:kms:eu-west-1', `aws-cn:kms:${region}`),
  });
  const conditions = resources(inChina, 'AWS::IAM::Policy')
    .flatMap((one) => policySchema.parse(one).PolicyDocument.Statement)
    .flatMap(({ Condition }) => Condition?.StringLike?.['kms:ViaService'] ?? []);
  expect(new Set(conditions)).toEqual(new Set([`sqs.${region}.*`, `dynamodb.${region}.*`]));
});

test('an agent that runs elsewhere may use the key for its queues; a caller of the API has no right on it', () => {
  const all = resources(encrypted, 'AWS::IAM::ManagedPolicy').map((one) => policySchema.parse(one));
  const [agent, ...none] = all.filter((one) => one.Description.includes('agent billing'));
  expect(none).toEqual([]);
  expect(agent === undefined ? [] : keyRights([agent])).toEqual([sends]);
  const callers = all.filter((one) => one.Description.includes('caller of Reeve'));
  expect(callers).toHaveLength(3);
  expect(keyRights(callers)).toEqual([]);
});

const keyPolicySchema = z.array(
  z.object({
    Effect: z.literal('Allow'),
    Principal: z.object({ Service: z.union([z.string(), z.array(z.string())]) }),
    Action: z.array(z.string()),
  }),
);

test('docs/aws.md grants the key to exactly the services that write to encrypted resources', () => {
  const [, json = '[]'] =
    /### Your own key[\s\S]*?```json\n([\s\S]*?)```/.exec(readFileSync('docs/aws.md', 'utf8')) ??
    [];
  const statements = keyPolicySchema.parse(JSON.parse(json));
  for (const { Action } of statements) expect(Action.join(' ')).not.toContain('*');
  const documented = statements.flatMap(({ Principal }) => Principal.Service);
  // The services that may publish or send by a policy of these resources, and the one that stores the logs.
  const senders = ['AWS::SNS::TopicPolicy', 'AWS::SQS::QueuePolicy'].flatMap((type) =>
    resources(encrypted, type).flatMap(({ PolicyDocument }) =>
      z
        .array(z.object({ Principal: z.unknown() }))
        .parse(PolicyDocument.Statement)
        .flatMap(({ Principal }) => {
          const service = z.object({ Service: z.string() }).safeParse(Principal);
          return service.success ? [service.data.Service] : [];
        }),
    ),
  );
  expect(documented.toSorted()).toEqual(
    [...new Set([...senders, 'logs.REGION.amazonaws.com'])].toSorted(),
  );
});
