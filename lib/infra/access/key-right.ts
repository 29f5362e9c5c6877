/** The right to use a key for the data of one service, in the policy of the role: the policy of a key trusts those of its account. */
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** Allows these actions on the key, only through the service, such as `sqs`, in the region of the key. */
export function allowKey(
  { grantPrincipal }: IGrantable,
  key: IKey,
  service: string,
  actions: readonly string[],
): void {
  grantPrincipal.addToPrincipalPolicy(keyStatement(key, service, actions));
}

/**
 * The statement of {@link allowKey}. The name of the service ends otherwise in each partition, such as with `amazonaws.com.cn` in China. AWS
 * alone writes it, so any ending is as safe as the right one.
 */
export const keyStatement = (
  { keyArn, env }: IKey,
  service: string,
  actions: readonly string[],
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [keyArn],
    conditions: { StringLike: { 'kms:ViaService': `${service}.${env.region}.*` } },
  });
