/** Who asks, and whether that one may: found out once for each request, judged by each route. */
import type { MiddlewareHandler } from 'hono';
import { type Identity, mayAct, type Principal } from '#core/access/principal.ts';
import { type ApiRoute, type Operation, routes } from '#core/access/routes.ts';
import { problem, Refusal, respondProblem } from '#http/problem.ts';

/** What a request says of its sender. */
export interface Credentials {
  /** The header as it came; empty: none. */
  readonly authorization: string;
  /** What the server knows of the request beside it. */
  readonly env: unknown;
}

export type Identify = (credentials: Credentials) => Identity | Promise<Identity>;

/** What is known of a request that has passed the guard. */
export interface AccessEnv {
  readonly Variables: {
    principal: Principal;
    /** Whether it would be let in now, as the same principal. */
    isStillLet: () => Promise<boolean>;
  };
}

/** The part of a route's definition that the table gives; a route that is not in it does not compile. */
export function authorised<Name extends Operation>(operationId: Name) {
  const route: ApiRoute = routes[operationId];
  const path: (typeof routes)[Name]['path'] = routes[operationId].path;
  const method: (typeof routes)[Name]['method'] = routes[operationId].method;
  // The least role. Not among the scopes of `security`: OpenAPI before 3.1 has those for OAuth alone, as do linters.
  const security = route.role === 'anyone' ? [] : [{ bearer: [] }];
  const role = { 'x-required-role': route.role };
  return { operationId, method, path, security, ...role, middleware: allowed(route) };
}

function allowed({ role, confined }: ApiRoute): MiddlewareHandler<AccessEnv> {
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
 * The tenant that a request is about: the principal's own, where it has one.
 *
 * @throws {Refusal} `tenant-forbidden` when another one was named
 */
export function tenantOf({ name, tenant }: Principal, named: string | undefined): string | null {
  if (tenant === null) return named ?? null;
  if (named === undefined || named === tenant) return tenant;
  throw new Refusal(problem('tenant-forbidden', `${name} may act for the tenant ${tenant} only.`));
}
