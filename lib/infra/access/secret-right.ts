/** The right to read a secret. The grant of the CDK would also allow to describe it. */

import { Stack } from 'aws-cdk-lib';
import { ViaServicePrincipal } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { AnySecret } from '#infra/deployment/given.ts';
import { granteeOf } from '#infra/functions/grantee.ts';

/** Allows the function to read the secret, and to decrypt it by its key. */
export function allowSecret(to: IFunction, secret: AnySecret): void {
  // Without the six characters that Secrets Manager adds, an ARN names no secret in a policy.
  const arn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
  granteeOf(to).allow(['secretsmanager:GetSecretValue'], arn);
  const service = `secretsmanager.${Stack.of(secret).region}.amazonaws.com`;
  secret.encryptionKey?.grantDecrypt(new ViaServicePrincipal(service, to.grantPrincipal));
}
