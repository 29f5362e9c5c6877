/** What operators do to an order: resubmit, cancel, reprioritise. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Principal } from '#core/access/principal.ts';
import type { OrderId } from '#core/model/ids.ts';
import { authorised } from '#http/access/access.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import {
  fieldProblem,
  type ProblemCode,
  problem,
  problemResponses,
  Refusal,
} from '#http/problem.ts';
import {
  cancelSchema,
  ifMatchHeader,
  reprioritiseSchema,
  resubmitSchema,
} from '#http/requests/request-schemas.ts';
import { acceptedSchema } from '#http/schemas.ts';
import type { OperatorOptions, OperatorOutcome } from '#roles/operator.ts';
import { jsonResponse } from './json-response.ts';
import { knownForm, orderParam, unknownOrder } from './order-id.ts';

const resubmitRoute = createRoute({
  ...authorised('resubmitOrder'),
  tags: ['Operator actions'],
  summary: 'Resubmit an order in Error',
  description:
    'The order continues at the step that failed. The request can correct details that no started step has used.',
  request: {
    params: orderParam,
    headers: ifMatchHeader,
    body: { required: false, content: { 'application/json': { schema: resubmitSchema } } },
  },
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});

const cancelRoute = createRoute({
  ...authorised('cancelOrder'),
  tags: ['Operator actions'],
  summary: 'Cancel an order',
  description:
    'No further step starts. The effects of completed steps, and of steps in doubt, are undone.',
  request: {
    params: orderParam,
    headers: ifMatchHeader,
    body: { required: false, content: { 'application/json': { schema: cancelSchema } } },
  },
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});

const reprioritiseRoute = createRoute({
  ...authorised('reprioritiseOrder'),
  tags: ['Operator actions'],
  summary: 'Change the priority of an order',
  description:
    'What waits, and every later call, has the new priority. Calls in flight continue. Possible until the order is Processed or Undone.',
  request: {
    params: orderParam,
    headers: ifMatchHeader,
    body: { required: true, content: { 'application/json': { schema: reprioritiseSchema } } },
  },
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});

export function operatorRoutes(app: OpenAPIHono, ports: ApiPorts): void {
  app.openapi(resubmitRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const { set = {} } = context.req.valid('json');
    const corrections = Object.entries(set).map(([field, value]) => ({ field, value }));
    const principal = context.get('principal');
    const options = { ...optionsOf(principal, context.req.valid('header')), corrections };
    const outcome = await ports.operator.resubmit(orderId, principal.name, options);
    return context.json(recorded(orderId, outcome), 202);
  });
  app.openapi(cancelRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const principal = context.get('principal');
    const options = optionsOf(principal, context.req.valid('header'));
    const outcome = await ports.operator.cancel(orderId, principal.name, options);
    return context.json(recorded(orderId, outcome), 202);
  });
  app.openapi(reprioritiseRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const { priority } = context.req.valid('json');
    const principal = context.get('principal');
    const options = optionsOf(principal, context.req.valid('header'));
    const { operator } = ports;
    const outcome = await operator.reprioritise(orderId, principal.name, priority, options);
    return context.json(recorded(orderId, outcome), 202);
  });
}

function optionsOf(
  { tenant }: Principal,
  { 'if-match': ifMatch }: { readonly 'if-match'?: string | undefined },
): OperatorOptions {
  return {
    ...(ifMatch !== undefined && { ifRevision: Number(ifMatch.slice(1, -1)) }),
    ...(tenant !== null && { tenant }),
  };
}

const refusals: Readonly<Record<string, ProblemCode>> = {
  'not-in-error': 'not-in-error',
  ended: 'ended',
  'already-undoing': 'already-undoing',
  irreversible: 'irreversible',
  changed: 'changed',
  'correction-refused': 'correction-refused',
  'record-full': 'record-full',
  'same-priority': 'same-priority',
};

function recorded(orderId: OrderId, outcome: OperatorOutcome) {
  switch (outcome.kind) {
    case 'unknown-order':
      throw unknownOrder(orderId);
    case 'refused': {
      if (outcome.errors.length > 0) {
        throw new Refusal(fieldProblem('correction-refused', outcome.errors));
      }
      const { processState, direction, priority, revision } = outcome.record;
      const detail = `The order is ${processState}, direction ${direction}, priority ${priority}, at revision ${revision}.`;
      throw new Refusal(problem(refusals[outcome.reason] ?? 'internal', detail));
    }
    case 'done': {
      return { orderId, processState: outcome.record.processState };
    }
  }
}
