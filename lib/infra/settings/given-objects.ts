/** Schemas of what an application gives as objects of the CDK. A text in their place would fail in a place that does not name the property. */
import { type Duration, Token } from 'aws-cdk-lib';
import type { IDomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ILambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import type { ISecurityGroup, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';
import type {
  AnyEventBus,
  AnyFunction,
  AnySecret,
  AnyTable,
  AnyVpc,
} from '#infra/deployment/given.ts';

/** Known by an attribute that Reeve reads: an app may have the CDK twice, and with it each class. */
const having = <Type>(attribute: string, form: string) =>
  z.custom<Type>((value) => typeof value === 'object' && value !== null && attribute in value, {
    error: ({ input }) => (input === undefined ? 'is missing' : `must be ${form}`),
  });

/** What Reeve takes, by what it is. */
export const given = {
  vpc: having<AnyVpc>('vpcId', 'an `ec2.IVpc` of the CDK, such as `Vpc.fromLookup(…)`'),
  securityGroup: having<ISecurityGroup>('securityGroupId', 'an `ec2.ISecurityGroup` of the CDK'),
  key: having<IKey>('keyArn', 'a `kms.IKey` of the CDK, such as `Key.fromKeyArn(…)`'),
  eventBus: having<AnyEventBus>(
    'eventBusArn',
    'an `events.IEventBus` of the CDK, such as `EventBus.fromEventBusName(…)`',
  ),
  topic: having<ITopic>('topicArn', 'an `sns.ITopic` of the CDK, such as `Topic.fromTopicArn(…)`'),
  queue: having<IQueue>('queueArn', 'an `sqs.IQueue` of the CDK, such as `Queue.fromQueueArn(…)`'),
  table: having<AnyTable>(
    'tableArn',
    'a `dynamodb.ITable` of the CDK, such as `TableV2.fromTableName(…)`',
  ),
  secret: having<AnySecret>(
    'secretArn',
    'a `secretsmanager.ISecret` of the CDK, such as `Secret.fromSecretNameV2(…)`',
  ),
  domainName: having<IDomainName>(
    'regionalDomainName',
    'an `apigatewayv2.IDomainName` of the CDK, such as `DomainName.fromDomainNameAttributes(…)`',
  ),
  lambdaFunction: having<AnyFunction>(
    'functionArn',
    'a `lambda.IFunction` of the CDK, such as `Function.fromFunctionArn(…)`',
  ),
  deploymentConfig: having<ILambdaDeploymentConfig>(
    'deploymentConfigName',
    'a `codedeploy.ILambdaDeploymentConfig` of the CDK, such as `LambdaDeploymentConfig.ALL_AT_ONCE`',
  ),
  duration: having<Duration>(
    'toMilliseconds',
    'a `Duration` of the CDK, such as `Duration.minutes(5)`',
  ),
};

/** A text with at least one character; it may be known at deployment only. */
export const text = z.string().min(1);

/** For a value with which Reeve calculates, when the app is synthesised. */
const knownNow = ', and cannot be a value that is known at deployment only';

/** A whole number that may be known at deployment only, as a parameter of CloudFormation is. */
export const wholeOrLater = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .number({ error })
    .refine((given) => Token.isUnresolved(given) || isWithin(given, min, max), error);
};

/** A whole number that is known when the app is synthesised. */
export const wholeNow = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.number({ error }).superRefine((given, { addIssue }) => {
    if (Token.isUnresolved(given)) addIssue(error + knownNow);
    else if (!isWithin(given, min, max)) addIssue(error);
  });
};

const isWithin = (given: number, min: number, max: number) =>
  Number.isInteger(given) && given >= min && given <= max;

/** A duration of whole seconds that is known when the app is synthesised. */
export const secondsNow = (min: number, max: number) => {
  const error = `must be whole seconds from ${min} to ${max.toLocaleString('en')}`;
  return given.duration.superRefine((duration, { addIssue }) => {
    if (duration.isUnresolved()) addIssue(error + knownNow);
    else if (!isWithin(duration.toMilliseconds() / 1_000, min, max)) addIssue(error);
  });
};

/** The network of functions. */
export const networkShape = {
  vpc: given.vpc.optional(),
  vpcSubnets: z
    .custom<SubnetSelection>((value) => typeof value === 'object', {
      error: 'must be an `ec2.SubnetSelection` of the CDK, such as `{ subnetType }`',
    })
    .optional(),
  securityGroups: z.array(given.securityGroup).optional(),
};

/** What would have no effect. */
export function checkNetwork(
  network: { readonly [name in keyof typeof networkShape]?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (network.vpc !== undefined) return;
  for (const name of ['vpcSubnets', 'securityGroups'] as const) {
    if (network[name] === undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'needs `vpc`' });
  }
}
