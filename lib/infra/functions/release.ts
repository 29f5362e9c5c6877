/** How a new version of the functions takes over from the last one: by an alias, to which all that invokes them points. */
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { versionOf } from '#infra/deployment/given.ts';

/** The name of the alias. */
export const aliasName = 'live';

/** The property `release` of a deployment. */
export interface Release {
  /**
   * Environments that Lambda keeps started, at a price by the hour, by the names of `functions`, such as
   * `{ 'front-door': 2 }`. @default none
   */
  readonly provisionedConcurrency?: Readonly<Record<string, number>> | undefined;
  /**
   * How the invocations move to a new version, such as `LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES`. The alarm on errors of
   * the function moves them back. @default all at once
   */
  readonly deploymentConfig?: ILambdaDeploymentConfig | undefined;
}

interface Gradual {
  readonly application: LambdaApplication;
  readonly role: IRole;
  readonly deploymentConfig: ILambdaDeploymentConfig;
}

/** The releases of a deployment: what all its functions share for them. */
export interface Releases {
  readonly provisionedConcurrency: Readonly<Record<string, number>>;
  /** @default all at once */
  readonly gradual?: Gradual | undefined;
}

/** Makes what the functions share. */
export function releasesOf(
  scope: Construct,
  { provisionedConcurrency = {}, deploymentConfig }: Release,
): Releases {
  if (deploymentConfig === undefined) return { provisionedConcurrency };
  const shared = new Construct(scope, 'Releases');
  const role = new Role(shared, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
    ],
  });
  acknowledge(role, 'AwsSolutions::AwsSolutions-IAM4');
  const application = new LambdaApplication(shared, 'Application');
  return { provisionedConcurrency, gradual: { application, role, deploymentConfig } };
}

/** The alias of a function, and what moves it step by step; undefined where it moves at once. */
export interface Live {
  readonly alias: Alias;
  readonly group: LambdaDeploymentGroup | undefined;
}

/** Makes the alias of the function's current version. @param name that of the function in `functions` */
export function liveAlias(
  worker: LambdaFunction,
  name: string,
  { provisionedConcurrency, gradual }: Releases,
): Live {
  const started = provisionedConcurrency[name];
  const alias = new Alias(worker, 'Live', {
    aliasName,
    version: versionOf(worker.currentVersion),
    ...(started !== undefined && { provisionedConcurrentExecutions: started }),
  });
  const group =
    gradual === undefined
      ? undefined
      : new LambdaDeploymentGroup(worker, 'Rollout', { alias, ...gradual });
  return { alias, group };
}
