/** A managed policy for each role, for callers who sign for IAM. */
import { Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type Role, roles } from '#core/access/principal.ts';
import { acknowledgeFor } from '#infra/checks/acknowledge.ts';
import { type DeployedRoute, routesOf } from './api-routes.ts';

const policies = {
  viewer: { id: 'ReeveView', may: 'sees orders' },
  submitter: { id: 'ReeveSubmit', may: 'submits orders and sees them' },
  operator: {
    id: 'ReeveOperate',
    may: 'submits, sees, resubmits, corrects, cancels and reprioritises orders',
  },
} as const;

/** Policies by name, `ReeveView` and so on. */
export function callerPolicies(
  scope: Construct,
  apiId: string,
): ReadonlyMap<string, ManagedPolicy> {
  const policyOf = (role: Role) => {
    const { id, may } = policies[role];
    const resources = routesOf(role).map((route) => arnOf(scope, apiId, route));
    const policy = new ManagedPolicy(scope, id, {
      description: `For a caller of Reeve that ${may}`,
      statements: [
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ['execute-api:Invoke'],
          resources,
        }),
      ],
    });
    acknowledgeOrderIds(policy, resources);
    return [id, policy] as const;
  };
  return new Map(roles.map(policyOf));
}

/** Acknowledges the asterisks of these resources in a policy below the construct. */
export function acknowledgeOrderIds(scope: Construct, resources: readonly string[]): void {
  const any = resources.filter((arn) => arn.endsWith('*') || arn.includes('/*/'));
  acknowledgeFor(scope, 'AwsSolutions::AwsSolutions-IAM5', any);
}

/** One method of one path, for any order id. */
export function arnOf(scope: Construct, apiId: string, { method, path }: DeployedRoute): string {
  return Stack.of(scope).formatArn({
    service: 'execute-api',
    resource: apiId,
    resourceName: `$default/${method}${path.replaceAll(/\{\w+\}/g, '*')}`,
  });
}
