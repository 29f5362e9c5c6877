/** Server-sent events, as the OpenAPI document describes them. */
import { createRoute, z } from '@hono/zod-openapi';
import { operation } from './operation.ts';
import { problemResponses } from './problem-responses.ts';

const stream = {
  description: 'Server-sent events.',
  content: { 'text/event-stream': { schema: z.string() } },
};

export const followOrders = createRoute({
  ...operation('followOrders'),
  tags: ['Events'],
  summary: 'Follow all orders',
  description:
    'Server-sent events: an `order` event for every change from now on. Under load only the latest change of each order is sent, and a `missed` event gives the number of orders left out. A `dropped` event ends the stream of a reader with too many unread events.',
  responses: { 200: stream, ...problemResponses(400, 401, 403, 503) },
});

export const followOrder = createRoute({
  ...operation('followOrder'),
  tags: ['Events'],
  summary: 'Follow one order',
  description:
    'Server-sent events: a `history` event for each entry so far, then every change until the order ends. The id of a `history` event is the number of its entry, which stays the same when entries before it are dropped; with the header `Last-Event-ID`, the stream begins after that entry, and with any other text at the first one. The last event of an order that has ended has the id `ended`, and a request with it gets 204: an `EventSource` then stops. A `dropped` event ends the stream of a reader with too many unread events.',
  responses: {
    200: stream,
    204: { description: 'The order has ended, and `Last-Event-ID` is the id of its last event.' },
    ...problemResponses(400, 401, 403, 404, 503),
  },
});
