/**
 * Encrypts tables, queues, topic and logs with a key of the account. A role's rights on the key follow from
 * its other rights. The CDK's grants would allow more, by actions with an asterisk.
 */
import type { Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, ManagedPolicy, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';

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

/** Encrypts the queues, tables, topics and log groups of the stack with this key, and lets its policies use the key. */
export function encryptWith(stack: Stack, keyArn: string): void {
  for (const construct of stack.node.findAll()) {
    if (construct instanceof CfnQueue) {
      construct.kmsMasterKeyId = keyArn;
      construct.kmsDataKeyReusePeriodSeconds = dataKeyReuseSeconds;
      construct.sqsManagedSseEnabled = undefined;
    }
    if (construct instanceof CfnGlobalTable) encryptTable(construct, keyArn);
    if (construct instanceof CfnTopic) construct.kmsMasterKeyId = keyArn;
    if (construct instanceof CfnLogGroup) construct.kmsKeyId = keyArn;
    if (construct instanceof Policy || construct instanceof ManagedPolicy) {
      construct.addStatements(...keyStatements(construct.document.toJSON(), keyArn));
    }
  }
}

/** TableV2 accepts a key only in a stack whose region is known at synthesis. */
function encryptTable(table: CfnGlobalTable, keyArn: string): void {
  table.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  table.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', keyArn);
}

/** One statement per service whose data the policy covers, limited to calls through that service. */
function keyStatements(policy: unknown, keyArn: string): PolicyStatement[] {
  const actions = document.parse(policy).Statement.flatMap(({ Action }) => Action);
  const uses = usesOf.filter(({ of }) => actions.some((action) => of.test(action)));
  const [, , , region = ''] = keyArn.split(':');
  return [...new Set(uses.map(({ through }) => through))].map(
    (service) =>
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...new Set(uses.flatMap(({ through, key }) => (through === service ? key : [])))],
        resources: [keyArn],
        conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.amazonaws.com` } },
      }),
  );
}

const document = z.object({
  Statement: z.array(
    z.object({
      Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
    }),
  ),
});
