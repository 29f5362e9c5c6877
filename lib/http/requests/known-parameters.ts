/**
 * Refuses queries that Reeve would misinterpret: an unknown parameter (the response to `?State=Error` would list
 * every order), a repeated parameter, and one that is not UTF-8.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { FieldError } from '#core/codec/field-errors.ts';
import { fieldProblem, respondProblem } from '#http/problem.ts';
import { nearestName } from '#text/nearest-name.ts';

/** Covers every route that `app` describes, including later ones; pages accept any query. */
export function knownParameters(app: OpenAPIHono): MiddlewareHandler {
  const known = new Map<string, readonly string[]>();
  const learn = () => {
    for (const definition of app.openAPIRegistry.definitions) {
      if (definition.type !== 'route') continue;
      const { method, path, request } = definition.route;
      const query = request?.query;
      const names = query !== undefined && 'shape' in query ? Object.keys(query.shape) : [];
      known.set(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, names);
    }
  };
  const namesFor = (context: Context): readonly string[] | null => {
    if (known.size === 0) learn();
    const route = matchedRoutes(context).find(({ method, path }) => known.has(`${method} ${path}`));
    return route === undefined ? null : (known.get(`${route.method} ${route.path}`) ?? null);
  };
  return (context, next) => {
    const [, query = ''] = /\?([^#]*)/.exec(context.req.url) ?? [];
    if (query === '') return next();
    const names = namesFor(context);
    const errors = names === null ? [] : queryErrors(query, names);
    if (errors.length === 0) return next();
    return Promise.resolve(respondProblem(context, fieldProblem('query-invalid', errors)));
  };
}

function queryErrors(query: string, names: readonly string[]): FieldError[] {
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [written = '', value = ''] = part.split(/=(.*)/s);
    const name = decoded(written);
    if (name === null || decoded(value) === null) {
      errors.push({ field: name ?? written, message: 'is not percent-encoded UTF-8' });
      continue;
    }
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    if (!names.includes(name)) {
      if (times === 1) errors.push({ field: name, message: unknownParameter(name, names) });
    } else if (times === 2) errors.push({ field: name, message: 'must be given only once' });
  }
  return errors;
}

/** Null when it is not percent-encoded UTF-8; `URLSearchParams` would return U+FFFD. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** The error message, with the nearest known parameter. */
function unknownParameter(given: string, names: readonly string[]): string {
  const meant = nearestName(given, names);
  if (meant !== undefined) return `is not a parameter of this route (did you mean \`${meant}\`?)`;
  const all = names.length === 0 ? 'it has none' : `its parameters are ${names.join(', ')}`;
  return `is not a parameter of this route; ${all}`;
}
