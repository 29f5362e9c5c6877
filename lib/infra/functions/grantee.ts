/** What receives rights: a function of Reeve, or an existing one. */
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IDependable } from 'constructs';

/** Receives rights, one by one. */
export interface Grantee {
  /** Allows these actions on these resources, and nothing else. */
  allow(actions: readonly string[], ...resources: readonly string[]): void;
  /** Allows these actions on the items of a table whose partition keys match `keys`, which may end in `*`. */
  allowItems(actions: readonly string[], table: string, ...keys: readonly string[]): void;
}

/** Allows these actions on these resources. @returns the policy, for what needs it; undefined: there is none in the app */
export const allowed = (
  { grantPrincipal }: IGrantable,
  actions: readonly string[],
  ...resources: readonly string[]
): IDependable | undefined =>
  grantPrincipal.addToPrincipalPolicy(statement(actions, resources)).policyDependable;

/** Adds rights to the policy of a principal. */
export const granteeOf = (to: IGrantable): Grantee => ({
  allow(actions, ...resources) {
    allowed(to, actions, ...resources);
  },
  allowItems(actions, table, ...keys) {
    const limited = statement(actions, [table]);
    limited.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [...keys] });
    to.grantPrincipal.addToPrincipalPolicy(limited);
  },
});

const statement = (actions: readonly string[], resources: readonly string[]) =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
  });
