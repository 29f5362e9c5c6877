/** The routes of API Gateway: the API routes that are served on AWS, each with its least role. */
import { mayAct, type Role } from '#core/access/principal.ts';
import { type ApiRoute, routes } from '#core/access/routes.ts';

/** A route of API Gateway, with the least role that may use it. */
export interface DeployedRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly role: Role;
}

/** Routes open to anyone elsewhere require a viewer here, because each request costs money. */
export const deployedRoutes: readonly DeployedRoute[] = Object.values<ApiRoute>(routes)
  .filter(({ onAws }) => onAws)
  .map(({ method, path, role }) => ({
    method: method === 'get' ? 'GET' : 'POST',
    path,
    role: role === 'anyone' ? 'viewer' : role,
  }));

/** The routes that a role may use. */
export const routesOf = (role: Role): readonly DeployedRoute[] =>
  deployedRoutes.filter((route) => mayAct({ name: '', role, tenant: null }, route.role));
