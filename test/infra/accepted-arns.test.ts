/** An ARN that a parameter accepts is one that the CDK accepts: its own errors name no parameter. */
import { App, Stack } from 'aws-cdk-lib';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundaryArn, keyArn, secretArn, standardQueueArn } from '#infra/settings/setting-forms.ts';

const forms = [
  {
    name: 'a secret',
    form: secretArn,
    begin: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:',
    take: (scope: Construct, arn: string) => Secret.fromSecretCompleteArn(scope, 'It', arn),
  },
  {
    name: 'a key',
    form: keyArn,
    begin: 'arn:aws:kms:eu-west-1:123456789012:key/',
    take: (scope: Construct, arn: string) => Key.fromKeyArn(scope, 'It', arn),
  },
  {
    name: 'a permissions boundary',
    form: boundaryArn,
    begin: 'arn:aws:iam::123456789012:policy/',
    take: (scope: Construct, arn: string) => ManagedPolicy.fromManagedPolicyArn(scope, 'It', arn),
  },
  {
    name: 'a queue',
    form: standardQueueArn,
    begin: 'arn:aws:sqs:eu-west-1:123456789012:',
    take: (scope: Construct, arn: string) =>
      Queue.fromQueueAttributes(scope, 'It', { queueArn: arn, queueUrl: 'https://sqs.example' }),
  },
];

const part = fc.string({ unit: fc.constantFrom(...'aZ09-_/+=,.@'), minLength: 1, maxLength: 12 });
const suffix = fc.constantFrom('', '-AbCdEf', '-AbCdE', '-AbCdEfg', '-Ab_dEf');

test.each(forms)('$name that is accepted is one of the CDK', ({ form, begin, take }) => {
  let accepted = 0;
  fc.assert(
    fc.property(part, suffix, (name, end) => {
      const arn = `${begin}${name}${end}`;
      if (!form.safeParse(arn).success) return;
      accepted += 1;
      take(new Stack(new App(), 'Any'), arn);
    }),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(10);
});
