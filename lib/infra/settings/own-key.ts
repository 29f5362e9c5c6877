/**
 * A key of the account over tables, queues, topic and logs, and what each role must be allowed to do with it: that follows from
 * its other rights. The grants of the CDK would allow more, by actions with an asterisk.
 */
import type { Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, ManagedPolicy, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';

/**
 * Seconds that SQS uses a data key for, 60 to 86,400: each new one costs two requests to KMS for each sender and one for
 * each receiver. SQS's own default, 300, would be twelve times as many.
 */
const dataKeyReuseSeconds = 3_600;

/**
 * What an action asks of the key, by the service that holds the data. Who sends to a queue makes a data key and checks it, who
 * receives decrypts it (SQS, Key management). A table's key was made when the table was: whoever reads or writes decrypts
 * it (KMS, How DynamoDB uses AWS KMS).
 */
const usesOf: readonly { readonly of: RegExp; readonly through: string; readonly key: string[] }[] =
  [
    { of: /^sqs:SendMessage$/, through: 'sqs', key: ['kms:Decrypt', 'kms:GenerateDataKey'] },
    { of: /^sqs:ReceiveMessage$/, through: 'sqs', key: ['kms:Decrypt'] },
    { of: /^dynamodb:/, through: 'dynamodb', key: ['kms:Decrypt'] },
    { of: /^secretsmanager:GetSecretValue$/, through: 'secretsmanager', key: ['kms:Decrypt'] },
  ];

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

/** TableV2 itself takes a key only in a stack whose region is known at synthesis. */
function encryptTable(table: CfnGlobalTable, keyArn: string): void {
  table.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  table.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', keyArn);
}

/** One statement for each service that the policy lets work with data: through that service alone. */
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
    z.object({ Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]) }),
  ),
});
