/** Orders, as the OpenAPI document describes them: submit, show, list, submit many. */
import { createRoute, z } from '@hono/zod-openapi';
import { limits } from '#core/model/limits.ts';
import { acceptedSchema, batchResultSchema, listSchema, orderSchema } from '#http/schemas.ts';
import { conditionalResponses, jsonResponse } from './json-response.ts';
import { operation } from './operation.ts';
import { problemResponses } from './problem-responses.ts';

/** OpenAPI links: the operations on the order that a response names. */
const next = Object.fromEntries(
  (['showOrder', 'resubmitOrder', 'cancelOrder', 'reprioritiseOrder'] as const).map(
    (operationId) => [operationId, { operationId, parameters: { id: '$response.body#/orderId' } }],
  ),
);

export const submitOrder = createRoute({
  ...operation('submitOrder'),
  tags: ['Orders'],
  summary: 'Submit an order',
  description:
    'Answers 202 when the order is on disk; Reeve then processes it. A request that is repeated with the same Idempotency-Key creates no second order. Where the workflow skips orders of a singleton key whose earlier order has not ended, the answer is 200 with that order. When too many orders wait, the answer is 429 or 503 with Retry-After: nothing is stored, and the same request is accepted later.',
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

export const showOrder = createRoute({
  ...operation('showOrder'),
  tags: ['Orders'],
  summary: 'Get an order',
  description:
    'The whole record of the order: state, steps with their inputs and outputs, history and details. Sensitive fields are redacted.',
  responses: {
    ...conditionalResponses('The order.', orderSchema),
    ...problemResponses(400, 401, 403, 404, 503),
  },
});

export const listOrders = createRoute({
  ...operation('listOrders'),
  tags: ['Orders'],
  summary: 'List orders, newest first',
  description:
    'A page of the orders that match all filters. A page may be short, or empty, and still have a cursor for the next page, which is valid for the same filters.',
  responses: {
    ...conditionalResponses('A page.', listSchema),
    ...problemResponses(400, 401, 403, 503),
  },
});

export const submitOrders = createRoute({
  ...operation('submitOrders'),
  tags: ['Orders'],
  summary: 'Submit many orders',
  description: `Up to ${limits.batchOrdersMax} orders, each as a single submission has it, with its idempotency key as \`key\`. The answer has one outcome for each order, in the same sequence: a fault of one order does not concern the others. Orders with keys can be sent again, all of them or some, also by themselves: no second order is created. The request as a whole is refused only when it is not valid JSON, is too large, or is no list of orders; then nothing was stored.`,
  responses: {
    200: jsonResponse('The outcome of each order.', batchResultSchema),
    ...problemResponses(400, 401, 403, 413, 415, 422),
  },
});
