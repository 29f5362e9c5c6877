/** The right to read a secret. The grant of the CDK would also allow to describe it. */

import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { AnySecret } from '#infra/deployment/given.ts';
import { granteeOf } from '#infra/functions/grantee.ts';
import { allowKey } from './key-right.ts';

/** Allows the function to read the secret, and to decrypt it by its key. */
export function allowSecret(to: IFunction, secret: AnySecret): void {
  // Without the six characters that Secrets Manager adds, an ARN names no secret in a policy.
  const arn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
  granteeOf(to).allow(['secretsmanager:GetSecretValue'], arn);
  const key = secret.encryptionKey;
  if (key !== undefined) allowKey(to, key, 'secretsmanager', ['kms:Decrypt']);
}
