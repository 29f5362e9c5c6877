/** Serves an operation: who may use it, and the checks of its request. Its description is no part of what serves it. */
import type { RouteConfigToTypedResponse } from '@hono/zod-openapi';
import type { Context, Handler, MiddlewareHandler, ValidationTargets } from 'hono';
import { etag } from 'hono/etag';
import type { ZodObject, ZodType, z } from 'zod';
import { type Operation, routes } from '#core/access/routes.ts';
import { type AccessEnv, allowed } from '#http/access/access.ts';
import type { Operations } from '#http/description/operations.ts';
import { respondProblem } from '#http/problem.ts';
import { type BodyEnv, jsonBody } from '#http/requests/json-body.ts';
import { isConditional, partsOf, type requests } from '#http/requests/requests.ts';
import { routingOf } from '#http/requests/routing.ts';
import { validationProblem } from '#http/requests/validation.ts';
import type { ApiRouter } from './api-router.ts';

type Part<Schemas, Name extends string, Target extends string> =
  Schemas extends Readonly<Record<Name, infer Schema extends ZodType>>
    ? Readonly<Record<Target, z.output<Schema>>>
    : unknown;

type Body<Schemas> = Schemas extends { readonly body: { readonly schema: infer Schema } }
  ? Part<{ readonly json: Schema }, 'json', 'json'>
  : unknown;

type Checked<Schemas> = Part<Schemas, 'params', 'param'> &
  Part<Schemas, 'headers', 'header'> &
  Part<Schemas, 'query', 'query'> &
  Body<Schemas>;

type Requests = typeof requests;

/** Gets the checked request, and gives one of the responses that the description of the operation has. */
type Serving<Name extends Operation> = (
  context: Context<
    AccessEnv,
    string,
    { out: object & Checked<Name extends keyof Requests ? Requests[Name] : unknown> }
  >,
) => MaybePromise<RouteConfigToTypedResponse<Operations[Name]>>;

type MaybePromise<Value> = Value | Promise<Value>;

export function serve<Name extends Operation>(
  app: ApiRouter,
  operation: Name,
  serving: Serving<Name>,
): void;
export function serve(app: ApiRouter, operation: Operation, serving: Handler<AccessEnv>): void {
  const { method, path } = routingOf(operation);
  const { body } = partsOf(operation);
  const before = [
    ...(isConditional(operation) ? [etag()] : []),
    ...(body === undefined ? [] : [jsonBody(body.isRequired)]),
    allowed(routes[operation]),
  ];
  app.on([method], [path], ...before, ...checksOf(operation), serving);
}

/** Whether the router serves the operation. */
export function isServed(app: ApiRouter, operation: Operation): boolean {
  const { method, path } = routingOf(operation);
  return app.routes.some((route) => route.method === method && route.path === path);
}

function checksOf(operation: Operation): MiddlewareHandler[] {
  const { query, params, headers, body } = partsOf(operation);
  const checks: MiddlewareHandler[] = [];
  if (query !== undefined) checks.push(check('query', query, ({ req }) => req.query()));
  if (params !== undefined) checks.push(check('param', params, ({ req }) => req.param()));
  if (headers !== undefined) checks.push(check('header', headers, headersOf(headers)));
  if (body !== undefined) checks.push(check('json', body.schema, ({ get }) => get('body')));
  return checks;
}

/** Only those that are checked, because Node's headers become an object of all of them only at a cost. */
function headersOf({ shape }: ZodObject): (context: Context) => unknown {
  const names = Object.keys(shape);
  return ({ req }) => Object.fromEntries(names.map((name) => [name, req.header(name)]));
}

function check(
  target: keyof ValidationTargets,
  schema: ZodType<object>,
  partOf: (context: Context<BodyEnv>) => unknown,
): MiddlewareHandler {
  return async (context, next) => {
    const { data, error } = schema.safeParse(partOf(context));
    if (error !== undefined) return respondProblem(context, validationProblem({ target, error }));
    context.req.addValidatedData(target, data);
    return next();
  };
}
