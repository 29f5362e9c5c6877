/** The routes about Reeve itself, as the OpenAPI document describes them. */
import { createRoute } from '@hono/zod-openapi';
import { activitySchema } from '#http/activity-schemas.ts';
import {
  descriptionSchema,
  healthSchema,
  principalSchema,
  workflowsSchema,
} from '#http/service-schemas.ts';
import { conditionalResponses } from './json-response.ts';
import { operation } from './operation.ts';
import { problemContent, problemResponses, retryAfterHeader } from './problem-responses.ts';

export const showActivity = createRoute({
  ...operation('showActivity'),
  tags: ['Service'],
  summary: 'Get the activity of the last hour',
  description:
    'Orders by the minute of the last hour, live orders by workflow and state, what waits, and calls, latency, held steps and circuit of each agent. Not served on AWS.',
  responses: {
    ...conditionalResponses('The activity.', activitySchema),
    ...problemResponses(400, 401, 403, 503),
  },
});

const content = { 'application/json': { schema: healthSchema } };
/** The second one where it could not be asked, as on AWS while DynamoDB does not answer. */
const ofFault = { ...content, ...problemContent };

export const showHealth = createRoute({
  ...operation('showHealth'),
  tags: ['Service'],
  summary: 'Get the health',
  description:
    'Whether Reeve works, also while it starts, and what it suffers from. 503 only for a fault of Reeve itself: no sweep was completed recently, stored data are damaged, or the store refuses writes. A service that is unavailable, and a load that is too high, are answered with 200.',
  responses: {
    200: { description: 'Reeve works.', content },
    503: { description: 'Reeve has a fault.', content: ofFault, headers: retryAfterHeader },
    ...problemResponses(400),
  },
});

export const showReadiness = createRoute({
  ...operation('showReadiness'),
  tags: ['Service'],
  summary: 'Get the readiness',
  description:
    'Whether Reeve may be given traffic: not while it stops, nor while the store refuses writes. An overloaded one may: it refuses what it cannot do, and knows when to try again.',
  responses: {
    200: { description: 'It may be given traffic.', content },
    503: { description: 'It may not.', content: ofFault, headers: retryAfterHeader },
    ...problemResponses(400),
  },
});

export const listWorkflows = createRoute({
  ...operation('listWorkflows'),
  tags: ['Service'],
  summary: 'List workflows',
  description: 'Every version of every workflow that is known here, with its steps.',
  responses: {
    ...conditionalResponses('Every version of every workflow.', workflowsSchema),
    ...problemResponses(400, 401, 403),
  },
});

export const showPrincipal = createRoute({
  ...operation('showPrincipal'),
  tags: ['Service'],
  summary: 'Get the caller',
  description: 'Name, role and tenant of the caller. The history of orders uses this name.',
  responses: {
    200: {
      description: 'The principal.',
      content: { 'application/json': { schema: principalSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});

export const describeApi = createRoute({
  ...operation('describeApi'),
  tags: ['Service'],
  summary: 'Get this description',
  description: 'The OpenAPI document of this API, with the workflows that are known here.',
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document, with the workflows that are known here.',
      content: { 'application/json': { schema: descriptionSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});
