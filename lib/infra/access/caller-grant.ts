/** The right of a principal of the account to call the API as a role. */
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Role } from '#core/access/principal.ts';
import { ReeveError } from '#core/model/errors.ts';
import { routesOf } from './api-routes.ts';
import { acknowledgeOrderIds, arnOf } from './caller-policies.ts';
import type { FrontDoor } from './front-door.ts';

/** @throws {ReeveError} `settings-invalid` where tokens authorise callers, so that a right of IAM has no effect */
export function grantCaller(frontDoor: FrontDoor, grantee: IGrantable, role: Role): Grant {
  if (frontDoor.policies.size === 0) {
    throw new ReeveError(
      'settings-invalid',
      `The API of ${frontDoor.node.path} authorises callers by the tokens of \`jwt\`, and not by IAM: let the OpenID provider grant the role ${role}.`,
    );
  }
  const resourceArns = routesOf(role).map((route) => arnOf(frontDoor, frontDoor.api.apiId, route));
  const { grantPrincipal } = grantee;
  if (Construct.isConstruct(grantPrincipal)) acknowledgeOrderIds(grantPrincipal, resourceArns);
  return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns });
}
