/** What receives rights: a function of Reeve, or an existing one. */
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Receives rights, one by one. */
export interface Grantee {
  /** Allows these actions on these resources, and nothing else. */
  allow(actions: readonly string[], ...resources: readonly string[]): void;
  /** Allows these actions on the items of a table whose partition keys match `keys`, which may end in `*`. */
  allowItems(actions: readonly string[], table: string, ...keys: readonly string[]): void;
}

/** Adds rights to the policy of a principal. */
export const granteeOf = ({ grantPrincipal }: IGrantable): Grantee => ({
  allow(actions, ...resources) {
    grantPrincipal.addToPrincipalPolicy(statement(actions, resources));
  },
  allowItems(actions, table, ...keys) {
    const allowed = statement(actions, [table]);
    allowed.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [...keys] });
    grantPrincipal.addToPrincipalPolicy(allowed);
  },
});

const statement = (actions: readonly string[], resources: readonly string[]) =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
  });
