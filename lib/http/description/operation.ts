/** What the OpenAPI document says of an operation without words: its route, who may use it, and its request. */
import type { z } from '@hono/zod-openapi';
import { type ApiRoute, type Operation, routes } from '#core/access/routes.ts';
import { partsOf } from '#http/requests/requests.ts';

/** A route without an entry in the table does not compile. */
export function operation<Name extends Operation>(operationId: Name) {
  const route: ApiRoute = routes[operationId];
  const path: (typeof routes)[Name]['path'] = routes[operationId].path;
  const method: (typeof routes)[Name]['method'] = routes[operationId].method;
  // The least role is not a scope of `security`, because OpenAPI before 3.1 and linters allow scopes for OAuth only.
  const security = route.role === 'anyone' ? [] : [{ bearer: [] }];
  const role = { 'x-required-role': route.role };
  const { body, ...parameters } = partsOf(operationId);
  const request = {
    ...parameters,
    ...(body !== undefined && {
      body: {
        required: body.isRequired,
        content: { 'application/json': { schema: named(body.schema, body.name) } },
      },
    }),
  };
  return { operationId, method, path, security, ...role, request };
}

/** A schema that was made before the generator was loaded cannot be named, but its copy can. */
const named = (schema: z.ZodType, name: string): z.ZodType => schema.clone().openapi(name);
