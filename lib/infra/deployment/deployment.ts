/** What all parts of a deployment of Reeve share: its name, and how its functions run. */
import { Stack, Token } from 'aws-cdk-lib';
import type { ISecurityGroup, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { Construct, IConstruct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import type { Releases } from '#infra/functions/release.ts';
import { addressesOutput } from '#text/addresses-output.ts';
import type { AnyVpc } from './given.ts';

/** The network that functions run in. */
export interface Network {
  readonly vpc: AnyVpc;
  /** @default the private subnets with egress, as the CDK chooses them */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default a security group for each function, that allows all outgoing traffic */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
}

/** What the parts of a deployment read of it. */
export interface Deployment {
  /** In the names of queues, metrics, events and the dashboard. Unique in the account and region. */
  readonly name: string;
  /** What `reeve --stack` takes: the name of the stack, and the path of the construct in it. */
  readonly reference: string;
  /** @default functions run without a VPC */
  readonly network?: Network | undefined;
  /** Whether functions send traces to X-Ray. */
  readonly tracing: boolean;
  /** Whether nothing invokes its functions. */
  readonly standby: boolean;
  /** @default functions are invoked without an alias */
  readonly releases?: Releases | undefined;
}

const known = new WeakMap<IConstruct, Deployment>();

/**
 * Makes the deployment known to all constructs below this one. Must precede them.
 *
 * @throws {ReeveError} `settings-invalid` when another deployment of the app has the name, or one of the stack has the same output
 */
export function deploy(scope: Construct, deployment: Deployment): void {
  refuseSecond(scope, deployment.name);
  refuseSameOutput(scope);
  known.set(scope, deployment);
}

/** Their queues and dashboards would have the same names. */
function refuseSecond(scope: Construct, name: string): void {
  const other = scope.node.root.node
    .findAll()
    .find((one) => known.get(one)?.name === name && isBeside(one, scope));
  if (other === undefined) return;
  throw new ReeveError(
    'settings-invalid',
    `${other.node.path} has the name \`${name}\` already, and the names of its queues. Give ${scope.node.path} another \`deployment\`.`,
  );
}

/** The command line finds a deployment by the name of a stack output. Such a name contains letters and digits only. */
function refuseSameOutput(scope: Construct): void {
  const output = addressesOutput(pathInStack(scope));
  const other = Stack.of(scope)
    .node.findAll()
    .filter((one) => known.has(one) && Stack.of(one) === Stack.of(scope))
    .find((one) => addressesOutput(pathInStack(one)) === output);
  if (other === undefined) return;
  throw new ReeveError(
    'settings-invalid',
    `The constructs ${other.node.path} and ${scope.node.path} have the same stack output, ${output}: its name contains only the letters and digits of their ids. Give one of them another id.`,
  );
}

/** Whether both are deployed to one account and region, as far as the synthesis knows them. */
function isBeside(one: IConstruct, other: IConstruct): boolean {
  const [a, b] = [outermost(Stack.of(one)), outermost(Stack.of(other))];
  if (a === b) return true;
  const isKnown = !Token.isUnresolved(a.account) && !Token.isUnresolved(a.region);
  return isKnown && a.account === b.account && a.region === b.region;
}

const outermost = (stack: Stack): Stack =>
  stack.nestedStackParent === undefined ? stack : outermost(stack.nestedStackParent);

/** Of the name of a stack, CloudFormation keeps 25 characters or more where the name of a resource would be too long. */
const keptMin = 20;

/**
 * What the names of alarms, rules and log groups of the stack match that CloudFormation makes from its name; that of a nested stack
 * begins with the name of its parent. A pattern, because a policy of another stack that referred to the resources would be a cycle.
 */
export const ownNames = (scope: Construct): string =>
  `${`${outermost(Stack.of(scope)).stackName}-`.slice(0, keptMin)}*`;

/** The deployment that the construct is a part of. */
export function deploymentOf(scope: IConstruct): Deployment {
  const found = scope.node.scopes.map((construct) => known.get(construct));
  const own = found.findLast((deployment) => deployment !== undefined);
  if (own === undefined) throw new Error(`${scope.node.path} is not below a Reeve`);
  return own;
}

/** The ids from the deployment down to the construct. */
export function pathInDeployment(construct: IConstruct): readonly string[] {
  const { scopes } = construct.node;
  return scopes.slice(scopes.findLastIndex((one) => known.has(one)) + 1).map(({ node }) => node.id);
}

/** The ids from the stack down to the construct. `Default` is left out, as the CDK leaves it out of logical ids. */
export function pathInStack(scope: IConstruct): readonly string[] {
  const { scopes } = scope.node;
  return scopes
    .slice(scopes.indexOf(Stack.of(scope)) + 1)
    .map(({ node }) => node.id)
    .filter((id) => id !== 'Default');
}

/** What `reeve --stack` takes: `shop/Orders` for the construct Orders in the stack shop. */
export const deploymentReference = (scope: Construct): string =>
  [Stack.of(scope).stackName, ...pathInStack(scope)].join('/');

/** As in names of queues, whose parts `_` separates. */
const allowed = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/;

/**
 * The name of the deployment.
 *
 * @param given @default the name of the stack, with the path of the construct in it
 * @throws {ReeveError} `settings-invalid` for a name that queues cannot have, and without one where the name of the stack
 * is known only at deployment
 */
export function deploymentName(scope: Construct, given: string | undefined): string {
  const { stackName } = Stack.of(scope);
  if (given === undefined && Token.isUnresolved(stackName)) {
    throw new ReeveError(
      'settings-invalid',
      `${scope.node.path} is in a nested stack, whose name is not known at synthesis. Give it the property \`deployment\`: a name that is unique in the account and region.`,
    );
  }
  const name = given ?? [stackName, ...pathInStack(scope)].join('-').replace(/[^A-Za-z0-9-]/g, '-');
  if (allowed.test(name)) return name;
  throw new ReeveError(
    'settings-invalid',
    `The property \`deployment\` of ${scope.node.path} must have 1 to 128 letters, digits and "-".`,
  );
}
