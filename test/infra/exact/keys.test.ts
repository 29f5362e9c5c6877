/** Keys of an application: exactly what the services may do with them that write on behalf of no role. */
import { readFileSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ReeveProps } from '#infra/reeve-props.ts';
import { env, reeveWith } from './reeve-with.ts';
import { nameOf } from './whole-stack.ts';

const statement = z.object({
  Effect: z.string(),
  Principal: z.object({ Service: z.union([z.string(), z.array(z.string())]) }),
  Action: z.array(z.string()),
  Resource: z.literal('*'),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});
/** Without the statement by which the account gives rights to its roles. */
const keySchema = z.object({
  KeyPolicy: z.object({ Statement: z.array(z.unknown()) }).transform(({ Statement }) =>
    Statement.flatMap((one) => {
      const parsed = statement.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    }),
  ),
});

/** With the partition and the suffix that they are in `aws`. */
const inAws = (policy: unknown): unknown =>
  JSON.parse(
    JSON.stringify(policy)
      .replaceAll(
        /\{"Fn::Join":\["",\["arn:",\{"Ref":"AWS::Partition"\},"([^"]+)"\]\]\}/g,
        '"arn:aws$1"',
      )
      .replaceAll(
        /\{"Fn::Join":\["",\["([^"]+)",\{"Ref":"AWS::URLSuffix"\}\]\]\}/g,
        '"$1amazonaws.com"',
      ),
  );

/** The policies of the keys of a stack, by id, in which Reeve is given this. */
function keysOf(give: (stack: Stack) => Partial<ReeveProps>) {
  const found = Template.fromStack(reeveWith(give, 'reeve-prod').stack).findResources(
    'AWS::KMS::Key',
  );
  return Object.fromEntries(
    Object.entries(found).map(([id, { Properties }]) => [
      nameOf(id),
      keySchema.parse(inAws(Properties)).KeyPolicy,
    ]),
  );
}

/** What docs/aws.md says that the policy of a key needs. */
function documented() {
  const [, text = '[]'] =
    /### Your own key[\s\S]*?```json\n([\s\S]*?)```/.exec(readFileSync('docs/aws.md', 'utf8')) ??
    [];
  const parsed = z
    .array(statement.extend({ Sid: z.string() }))
    .parse(JSON.parse(text.replaceAll('ACCOUNT', env.account).replaceAll('REGION', env.region)));
  return parsed.map(({ Sid: _, ...one }) => one);
}

test('a key of the same app gets the statements of docs/aws.md, and no others', () => {
  const { Key: policy } = keysOf((stack) => ({ encryptionKey: new Key(stack, 'Key') }));
  expect(policy).toEqual(documented());
});

test('the service of logs has the name that it has in the partition of the stack, such as logs.cn-north-1.amazonaws.com.cn', () => {
  const { stack } = reeveWith((given) => ({ encryptionKey: new Key(given, 'Key') }));
  const text = JSON.stringify(Template.fromStack(stack).findResources('AWS::KMS::Key'));
  expect(text).toContain(
    `"Service":{"Fn::Join":["",["logs.${env.region}.",{"Ref":"AWS::URLSuffix"}]]}`,
  );
});

test('alarms and alerts may use the key of the topic that an application gives, beside or instead of a key of its own for Reeve', () => {
  const senders = [
    {
      ...{ Effect: 'Allow', Resource: '*', Action: ['kms:Decrypt', 'kms:GenerateDataKey'] },
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': env.account } },
    },
    {
      ...{ Effect: 'Allow', Resource: '*', Action: ['kms:Decrypt', 'kms:GenerateDataKey'] },
      Principal: { Service: 'events.amazonaws.com' },
    },
  ];
  const topicIn = (stack: Stack) => new Topic(stack, 'Topic', { masterKey: new Key(stack, 'Of') });
  expect(keysOf((stack) => ({ alarmTopic: topicIn(stack) }))).toEqual({ Of: senders });
  const both = keysOf((stack) => ({
    ...{ alarmTopic: topicIn(stack), encryptionKey: new Key(stack, 'Key') },
  }));
  expect(both).toEqual({ Of: senders, Key: expect.anything() });
});

test('one key for both has each statement once', () => {
  const { Key: policy } = keysOf((stack) => {
    const encryptionKey = new Key(stack, 'Key');
    return { encryptionKey, alarmTopic: new Topic(stack, 'Topic', { masterKey: encryptionKey }) };
  });
  expect(policy).toHaveLength(documented().length);
});
