/**
 * Encrypts tables, queues, topic and logs with a key of the account. A role's rights on the key follow from
 * its other rights. The CDK's grants would allow more, by actions with an asterisk.
 */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import {
  Effect,
  ManagedPolicy,
  Policy,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import * as z from 'zod';
import { allowKey, keyStatement } from '#infra/access/key-right.ts';
import { ownNames } from '#infra/deployment/deployment.ts';

/**
 * Seconds for which SQS reuses a data key, 60 to 86,400. Each new data key costs two KMS requests per sender
 * and one per receiver; SQS's default, 300, would cause twelve times as many.
 */
const dataKeyReuseSeconds = 3_600;

/**
 * The rights on the key that an action needs, by the service that holds the data. A sender to a queue
 * generates a data key and verifies it, a receiver decrypts it (SQS, Key management). A table has its data
 * key already: reads and writes decrypt it (KMS, How DynamoDB uses AWS KMS).
 */
const usesOf: readonly { readonly of: RegExp; readonly through: string; readonly key: string[] }[] =
  [
    { of: /^sqs:SendMessage$/, through: 'sqs', key: ['kms:Decrypt', 'kms:GenerateDataKey'] },
    { of: /^sqs:ReceiveMessage$/, through: 'sqs', key: ['kms:Decrypt'] },
    { of: /^dynamodb:/, through: 'dynamodb', key: ['kms:Decrypt'] },
    { of: /^secretsmanager:GetSecretValue$/, through: 'secretsmanager', key: ['kms:Decrypt'] },
  ];

/** Encrypts the queues, tables, topics and log groups below the construct with this key, and lets its policies use the key. */
export function encryptWith(scope: Construct, key: IKey): void {
  const { keyArn } = key;
  for (const construct of scope.node.findAll()) {
    if (construct instanceof CfnQueue) {
      construct.kmsMasterKeyId = keyArn;
      construct.kmsDataKeyReusePeriodSeconds = dataKeyReuseSeconds;
      construct.sqsManagedSseEnabled = undefined;
    }
    if (construct instanceof CfnGlobalTable) encryptTable(construct, keyArn);
    if (construct instanceof CfnTopic) construct.kmsMasterKeyId = keyArn;
    if (construct instanceof CfnLogGroup) construct.kmsKeyId = keyArn;
    if (construct instanceof Policy || construct instanceof ManagedPolicy) {
      construct.addStatements(...keyStatements(construct.document.toJSON(), key));
    }
  }
}

/** TableV2 accepts a key only in a stack whose region is known at synthesis. */
function encryptTable(table: CfnGlobalTable, keyArn: string): void {
  table.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  table.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', keyArn);
}

/** One statement per service whose data the policy covers, limited to calls through that service. */
function keyStatements(policy: unknown, key: IKey): PolicyStatement[] {
  const actions = document.parse(policy).Statement.flatMap(({ Action }) => Action);
  const uses = usesOf.filter(({ of }) => actions.some((action) => of.test(action)));
  const byService = Map.groupBy(uses, ({ through }) => through);
  return [...byService].map(([service, own]) => {
    const allowed = new Set(own.flatMap((use) => use.key));
    return keyStatement(key, service, [...allowed]);
  });
}

const document = z.object({
  Statement: z.array(
    z.object({
      Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
    }),
  ),
});

/**
 * Adds to the policy of the key what the services need that write on behalf of no role: alarms, alerts, e-mail and logs. A key
 * of another app is left as it is (docs/aws.md, "Your own key").
 */
export function allowServices(scope: Construct, key: IKey): void {
  allowAlerts(scope, key, ['cloudwatch.amazonaws.com', 'sns.amazonaws.com']);
  const stack = Stack.of(scope);
  const groups = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: ownNames(scope),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  // Its name ends as those of hosts do in the partition, other than the names of the services above (serverless/serverless, issue 12087).
  allow(key, [`logs.${stack.region}.${stack.urlSuffix}`], logging, {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups },
  });
}

/** Lets alarms and alerts use the key of the topic that an application gives: without that, SNS refuses them, and no operator learns of it. */
export const allowTopic = (scope: Construct, key: IKey): void =>
  allowAlerts(scope, key, ['cloudwatch.amazonaws.com']);

/** @param services those that write, beside EventBridge */
function allowAlerts(scope: Construct, key: IKey, services: readonly string[]): void {
  const { account } = Stack.of(scope);
  allow(key, services, sending, { StringEquals: { 'aws:SourceAccount': account } });
  // Without a condition, because SNS evaluates none about the source in the policy of a key.
  allow(key, ['events.amazonaws.com'], sending, {});
}

function allow(
  key: IKey,
  services: readonly string[],
  actions: readonly string[],
  conditions: Conditions,
): void {
  const statement = new PolicyStatement({
    effect: Effect.ALLOW,
    principals: services.map((service) => new ServicePrincipal(service)),
    actions: [...actions],
    resources: ['*'],
    conditions,
  });
  key.addToResourcePolicy(statement, true);
}

/** Lets an existing function, whose policy is not below the deployment, use the key for the messages and the circuit of its agent. */
export function allowExisting(worker: IFunction, key: IKey): void {
  allowKey(worker, key, 'sqs', sending);
  allowKey(worker, key, 'dynamodb', ['kms:Decrypt']);
}

type Conditions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const sending = ['kms:Decrypt', 'kms:GenerateDataKey'];
const logging = [
  'kms:Encrypt',
  'kms:Decrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:DescribeKey',
];
