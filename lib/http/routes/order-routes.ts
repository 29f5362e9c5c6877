/** Orders: submit, show, list. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { maySee } from '#core/access/principal.ts';
import { authorised, tenantOf } from '#http/access/access.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { weakTag } from '#http/entity-tag.ts';
import { problemResponses } from '#http/problem.ts';
import { jsonBodies } from '#http/requests/json-body.ts';
import { keyHeader, listQuery, submissionSchema } from '#http/requests/request-schemas.ts';
import { acceptedSchema, listSchema, orderSchema } from '#http/schemas.ts';
import { listedView, orderView } from '#http/view.ts';
import { ordersOf } from '#roles/orders-of.ts';
import { search } from '#roles/search.ts';
import { jsonResponse } from './json-response.ts';
import { listingCursor } from './listing-cursor.ts';
import { knownForm, orderParam, unknownOrder } from './order-id.ts';
import { locationOf, refusalOf, requestOf } from './submission-answers.ts';

/** OpenAPI links: the operations on the order that a response names. */
const next = Object.fromEntries(
  (['showOrder', 'resubmitOrder', 'cancelOrder', 'reprioritiseOrder'] as const).map(
    (operationId) => [operationId, { operationId, parameters: { id: '$response.body#/orderId' } }],
  ),
);

const submitRoute = createRoute({
  ...authorised('submitOrder'),
  tags: ['Orders'],
  summary: 'Submit an order',
  description:
    'Answers 202 when the order is on disk; Reeve then processes it. A request that is repeated with the same Idempotency-Key creates no second order. Where the workflow skips orders of a singleton key whose earlier order has not ended, the answer is 200 with that order. When too many orders wait, the answer is 429 or 503 with Retry-After: nothing is stored, and the same request is accepted later.',
  request: {
    headers: keyHeader,
    body: { required: true, content: { 'application/json': { schema: submissionSchema } } },
  },
  responses: {
    200: {
      ...jsonResponse(
        'Skipped: an earlier order of the same singleton key has not ended. It is the answer, and nothing was stored.',
        acceptedSchema,
      ),
      headers: z.object({ location: z.string() }),
      links: next,
    },
    202: {
      ...jsonResponse('Accepted: order and process record are on disk.', acceptedSchema),
      headers: z.object({ location: z.string() }),
      links: next,
    },
    ...problemResponses(400, 401, 403, 409, 413, 415, 422, 429, 503),
  },
});

const showRoute = createRoute({
  ...authorised('showOrder'),
  tags: ['Orders'],
  summary: 'Get an order',
  description:
    'The whole record of the order: state, steps with their inputs and outputs, history and details. Sensitive fields are redacted.',
  request: { params: orderParam },
  responses: {
    200: jsonResponse('The order.', orderSchema),
    ...problemResponses(400, 401, 403, 404, 503),
  },
});

const listRoute = createRoute({
  ...authorised('listOrders'),
  tags: ['Orders'],
  summary: 'List orders, newest first',
  description:
    'A page of the orders that match all filters. A page may be short, or empty, and still have a cursor for the next page, which is valid for the same filters.',
  request: { query: listQuery },
  responses: { 200: jsonResponse('A page.', listSchema), ...problemResponses(400, 401, 403, 503) },
});

export function orderRoutes(app: OpenAPIHono, ports: ApiPorts): void {
  jsonBodies(app);
  app.openapi(submitRoute, async (context) => {
    const principal = context.get('principal');
    const key = context.req.valid('header')['idempotency-key'];
    const request = requestOf(principal, context.req.valid('json'), key);
    const outcome = await ports.submission.submit(request, principal.name);
    if (outcome.kind !== 'accepted') throw refusalOf(outcome, request, ports.clock.now());
    const { orderId, processState, skipped } = outcome;
    const location = { location: locationOf(orderId) };
    return skipped === true
      ? context.json({ orderId, processState, skipped }, 200, location)
      : context.json({ orderId, processState }, 202, location);
  });
  app.openapi(listRoute, async (context) => {
    const { state, correlationId, limit, cursor, ...rest } = context.req.valid('query');
    const { workflow, agent, step, fault, held, tenant, since, before } = rest;
    const ofTenant = tenantOf(context.get('principal'), tenant);
    const asOf = new Date(ports.clock.now()).toISOString();
    const states = {
      processState: state ?? null,
      ...(correlationId !== undefined && { correlationId }),
    };
    const filter = {
      ...(workflow !== undefined && { workflow }),
      ...(agent !== undefined && { agent }),
      ...(step !== undefined && { step }),
      ...(fault !== undefined && { fault }),
      ...(held !== undefined && { held: true as const }),
      ...(ofTenant !== null && { tenant: ofTenant }),
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(before !== undefined && { before: Date.parse(before) }),
    };
    const cursors = await listingCursor({ ...states, ...filter });
    const query = { ...states, limit, cursor: cursors.read(cursor) };
    const page = await search(ports.store, query, filter);
    const next = cursors.written(page.cursor);
    const orders = page.items.map(listedView);
    context.header('etag', await weakTag({ orders, cursor: next }));
    return context.json({ orders, cursor: next, asOf }, 200);
  });
  app.openapi(showRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const record = (await ports.store.records([orderId])).get(orderId);
    if (record === undefined) throw unknownOrder(orderId);
    const order = (await ordersOf(ports.store, [record])).get(orderId);
    if (order === undefined) throw unknownOrder(orderId);
    // For the order of another tenant, the response must not reveal that the order exists.
    if (!maySee(context.get('principal'), record)) throw unknownOrder(orderId);
    return context.json(orderView(record, order, ports.registry), 200);
  });
}
