/**
 * Refuses queries that Reeve would misinterpret: an unknown parameter (the response to `?State=Error` would list
 * every order), a repeated parameter, and one that is not UTF-8.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type FieldError, limitedErrors } from '#core/codec/field-errors.ts';
import { fieldProblem, respondProblem } from '#http/problem.ts';
import { nearestName } from '#text/nearest-name.ts';
import { partsOf } from './requests.ts';
import { operations, routingOf } from './routing.ts';

export const knownParameters: MiddlewareHandler = (context, next) => {
  const [, query = ''] = /\?([^#]*)/.exec(context.req.url) ?? [];
  if (query === '') return next();
  const names = namesFor(context);
  const errors = names === null ? [] : limitedErrors(queryErrors(query, names), 'query');
  if (errors.length === 0) return next();
  return Promise.resolve(respondProblem(context, fieldProblem('query-invalid', errors)));
};

/** Null for pages, which accept any query. */
function namesFor(context: Context): readonly string[] | null {
  for (const { method, path } of matchedRoutes(context)) {
    const names = known.get(`${method} ${path}`);
    if (names !== undefined) return names;
  }
  return null;
}

/** By the method and the path of a route. */
const known: ReadonlyMap<string, readonly string[]> = new Map(
  operations.map((operation) => {
    const { method, path } = routingOf(operation);
    return [`${method} ${path}`, Object.keys(partsOf(operation).query?.shape ?? {})];
  }),
);

function* queryErrors(query: string, names: readonly string[]): Generator<() => FieldError> {
  const seen = new Map<string, number>();
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [written = '', value = ''] = part.split(/=(.*)/s);
    const name = decoded(written);
    if (name === null || decoded(value) === null) {
      yield () => ({ field: name ?? written, message: 'is not percent-encoded UTF-8' });
      continue;
    }
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    if (!names.includes(name)) {
      if (times === 1) yield () => ({ field: name, message: unknownParameter(name, names) });
    } else if (times === 2) yield () => ({ field: name, message: 'must be given only once' });
  }
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
