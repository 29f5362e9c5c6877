/**
 * Refuses query parameters that a route does not have. One that is ignored changes the question: of
 * `?State=Error` or `?stat=Error` the answer would be every order.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { problem, respondProblem } from './problem.ts';

/** The route that is served without being in its own description. */
const description = 'GET /openapi.json';

/** For every route that `app` describes, those that are added later too; pages take what they like. */
export function knownParameters(app: OpenAPIHono): MiddlewareHandler {
  const known = new Map<string, readonly string[]>([[description, []]]);
  const learn = () => {
    for (const definition of app.openAPIRegistry.definitions) {
      if (definition.type !== 'route') continue;
      const { method, path, request } = definition.route;
      const query = request?.query;
      const names = query !== undefined && 'shape' in query ? Object.keys(query.shape) : [];
      known.set(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, names);
    }
  };
  return (context, next) => {
    const given = [...new Set(new URL(context.req.url).searchParams.keys())];
    if (given.length === 0) return next();
    if (known.size === 1) learn();
    const route = matchedRoutes(context).find(({ method, path }) => known.has(`${method} ${path}`));
    const names = route === undefined ? null : known.get(`${route.method} ${route.path}`);
    const errors = given
      .filter((name) => names?.includes(name) === false)
      .map((name) => ({ field: name, message: unknownParameter(name, names ?? []) }));
    if (errors.length === 0) return next();
    const detail = `Look at ${errors.map(({ field }) => field).join(', ')}.`;
    return Promise.resolve(respondProblem(context, problem('query-invalid', detail, errors)));
  };
}

/** What is wrong with it, and which parameter may have been meant. */
function unknownParameter(given: string, names: readonly string[]): string {
  const meant = names.find((name) => isMeant(plain(given), plain(name)));
  if (meant !== undefined) return `is no parameter here: did you mean ${meant}?`;
  return `is no parameter here: there are ${names.join(', ') || 'none'}`;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Written in another way, or cut short. */
function isMeant(given: string, name: string): boolean {
  return given.length >= 3 && (name.startsWith(given) || given.startsWith(name));
}
