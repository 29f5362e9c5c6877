/** Authentication, once per request, and authorisation, by each route. */
import type { MiddlewareHandler } from 'hono';
import { type Identity, mayAct, type Principal } from '#core/access/principal.ts';
import type { ApiRoute } from '#core/access/routes.ts';
import type { OrderId } from '#core/model/ids.ts';
import { problem, Refusal, respondProblem } from '#http/problem.ts';

/** The credentials of a request. */
export interface Credentials {
  /** The `Authorization` header; empty: none. */
  readonly authorization: string;
  /** The server's environment of the request, for example the event of API Gateway. */
  readonly env: unknown;
}

/** Names the principal of a request by its credentials. */
export type Identify = (credentials: Credentials) => Identity | Promise<Identity>;

/** The variables of a request that has passed the guard. */
export interface AccessEnv {
  readonly Variables: {
    principal: Principal;
    /** True while the credentials would still identify the same principal. */
    isStillAllowed: () => Promise<boolean>;
    /** The order that was submitted; absent for anything else. */
    submitted?: OrderId;
  };
}

/** Lets those pass that may use the route. */
export function allowed({ role, confined }: ApiRoute): MiddlewareHandler<AccessEnv> {
  return async (context, next) => {
    if (role === 'anyone') return next();
    const principal = context.get('principal');
    if (!mayAct(principal, role)) {
      const detail = `This needs the role ${role}; ${principal.name} has the role ${principal.role}.`;
      return respondProblem(context, problem('role-insufficient', detail));
    }
    if (!confined && principal.tenant !== null) {
      const detail = `This covers all tenants; ${principal.name} belongs to the tenant ${principal.tenant}.`;
      return respondProblem(context, problem('tenant-forbidden', detail));
    }
    return next();
  };
}

/**
 * The tenant of a request: the principal's own, if it has one.
 *
 * @throws {Refusal} `tenant-forbidden` when the request names another tenant
 */
export function tenantOf({ name, tenant }: Principal, named: string | undefined): string | null {
  if (tenant === null) return named ?? null;
  if (named === undefined || named === tenant) return tenant;
  throw new Refusal(problem('tenant-forbidden', `${name} may act for the tenant ${tenant} only.`));
}
