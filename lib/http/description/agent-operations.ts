/** Agents and their limits, as the OpenAPI document describes them. */
import { createRoute, z } from '@hono/zod-openapi';
import { agentSchema, agentsSchema, limitSchema } from '#http/agent-schemas.ts';
import { jsonResponse } from './json-response.ts';
import { operation } from './operation.ts';
import { problemResponses } from './problem-responses.ts';

export const listAgents = createRoute({
  ...operation('listAgents'),
  tags: ['Agents'],
  summary: 'List agents, pools and limits',
  description:
    'Each agent with its state, its pool, domain and weight, its circuit, and what is in flight and waits, where that is known; each pool with its members; each limit with how much it allows.',
  responses: {
    200: jsonResponse('Every agent, pool and limit.', agentsSchema),
    ...problemResponses(400, 401, 403, 503),
  },
});

export const changeAgent = createRoute({
  ...operation('changeAgent'),
  tags: ['Agents'],
  summary: 'Drain or resume an agent, or change its weight or a limit',
  description:
    'No new calls go to a drained agent: steps go to other members of its pool. Steps in doubt and undos that are bound to its domain still go there, and calls in flight go on. The steps of an agent without a pool, or of a pool without another member, are held until it is resumed; no failure is counted. A limit that is lowered lets calls in flight end.',
  responses: {
    200: jsonResponse(
      'Stored. It is in force within a second. The agent; or the limit that was changed.',
      z.union([agentSchema, limitSchema]),
    ),
    ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});
