/** What operators do to an order, as the OpenAPI document describes it. */
import { createRoute } from '@hono/zod-openapi';
import { acceptedSchema } from '#http/schemas.ts';
import { jsonResponse } from './json-response.ts';
import { operation } from './operation.ts';
import { problemResponses } from './problem-responses.ts';

export const resubmitOrder = createRoute({
  ...operation('resubmitOrder'),
  tags: ['Operator actions'],
  summary: 'Resubmit an order in Error',
  description:
    'The order continues at the step that failed. The request can correct fields of the details that are used by no step that has happened, may have happened, is in flight or was skipped.',
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});

export const cancelOrder = createRoute({
  ...operation('cancelOrder'),
  tags: ['Operator actions'],
  summary: 'Cancel an order',
  description:
    'No further step starts. The effects of completed steps, and of steps in doubt, are undone.',
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});

export const reprioritiseOrder = createRoute({
  ...operation('reprioritiseOrder'),
  tags: ['Operator actions'],
  summary: 'Change the priority of an order',
  description:
    'What waits, and every later call, has the new priority. Calls in flight continue. Possible until the order is Processed or Undone.',
  responses: {
    202: jsonResponse('Recorded.', acceptedSchema),
    ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503),
  },
});
