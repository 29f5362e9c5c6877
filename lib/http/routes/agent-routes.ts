/** Agents and their limits: what they do now, and what operators change of them while orders run. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Changed } from '#core/definition/agent-settings.ts';
import type { AgentNow, AgentsNow, MemberNow } from '#core/view/agents-now.ts';
import { authorised } from '#http/access/access.ts';
import {
  type AgentDocument,
  type AgentsDocument,
  agentSchema,
  agentsSchema,
  type LimitDocument,
  limitSchema,
} from '#http/agent-schemas.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { problem, problemResponses, Refusal } from '#http/problem.ts';
import { agentChangeSchema } from '#http/requests/request-schemas.ts';
import type { AgentOutcome, AgentRequest } from '#roles/agent-control.ts';
import type { LimitNow, LimitOutcome } from '#roles/limit-control.ts';
import { jsonResponse } from './json-response.ts';

const listRoute = createRoute({
  ...authorised('listAgents'),
  tags: ['Agents'],
  summary: 'List agents, pools and limits',
  description:
    'Each agent with its state, its pool, domain and weight, its circuit, and what is in flight and waits, where that is known; each pool with its members; each limit with how much it allows.',
  responses: {
    200: jsonResponse('Every agent, pool and limit.', agentsSchema),
    ...problemResponses(400, 401, 403, 503),
  },
});

const agentParam = z.object({
  name: z.string().openapi({
    param: { name: 'name', in: 'path' },
    description: 'The agent; or the pool, of a limit.',
  }),
});

const changeRoute = createRoute({
  ...authorised('changeAgent'),
  tags: ['Agents'],
  summary: 'Drain or resume an agent, or change its weight or a limit',
  description:
    'No new calls go to a drained agent: steps go to other members of its pool. Steps in doubt and undos that are bound to its domain still go there, and calls in flight go on. The steps of an agent without a pool, or of a pool without another member, are held until it is resumed; no failure is counted. A limit that is lowered lets calls in flight end.',
  request: {
    params: agentParam,
    body: { required: true, content: { 'application/json': { schema: agentChangeSchema } } },
  },
  responses: {
    200: jsonResponse(
      'Stored. It is in force within a second. The agent; or the limit that was changed.',
      z.union([agentSchema, limitSchema]),
    ),
    ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function agentRoutes(
  app: OpenAPIHono,
  { agents, limits }: Pick<ApiPorts, 'agents' | 'limits'>,
): void {
  app.openapi(listRoute, async (context) => {
    const [now, allowed] = await Promise.all([agents.list(), limits.list()]);
    return context.json({ ...agentsView(now), limits: allowed.map(limitView) }, 200);
  });
  app.openapi(changeRoute, async (context) => {
    const { name } = context.req.valid('param');
    const { drained = false, weight, limit } = context.req.valid('json');
    const by = context.get('principal').name;
    if (limit !== undefined) {
      const { name: label, ...amount } = limit;
      const request = Object.keys(amount).length === 0 ? null : amount;
      const answer = await limits.change(`${name}/${label}`, request, by);
      return context.json(changedLimit(answer), 200);
    }
    const request: AgentRequest =
      weight === undefined ? { kind: drained ? 'drain' : 'resume' } : { kind: 'weight', weight };
    const outcome = await agents.change(name, request, by);
    return context.json(changed(name, outcome), 200);
  });
}

function changed(name: string, outcome: AgentOutcome): AgentDocument {
  switch (outcome.kind) {
    case 'done':
      return agentView(outcome.agent);
    case 'unknown-agent': {
      const known = outcome.known.join(', ');
      throw new Refusal(problem('agent-unknown', `The agents of the workflows are ${known}.`));
    }
    case 'no-member': {
      const detail = `${name} is in no pool, so it has no weight. It can be drained and resumed.`;
      throw new Refusal(problem('agent-not-in-pool', detail));
    }
  }
}

function changedLimit(outcome: LimitOutcome): LimitDocument {
  switch (outcome.kind) {
    case 'done':
      return limitView(outcome.limit);
    case 'unknown-limit': {
      const known = outcome.known.join(', ');
      const detail = known === '' ? 'No agent has limits.' : `The limits are ${known}.`;
      throw new Refusal(problem('limit-unknown', detail));
    }
    case 'invalid':
      throw new Refusal(problem('limit-invalid', outcome.problem));
  }
}

const limitView = ({ changed: change, isByKey, ...limit }: LimitNow): LimitDocument => ({
  ...limit,
  byKey: isByKey,
  changed: changeView(change),
});

const iso = (ms: number) => new Date(ms).toISOString();
const changeView = (change: Changed | null) => change && { by: change.by, at: iso(change.at) };
const memberView = ({ changed: change, ...member }: MemberNow) => ({
  ...member,
  changed: changeView(change),
});

/** What operators decided of an agent. */
export const operatedView = ({ state, drained, member }: AgentNow) => ({
  state,
  drained: changeView(drained),
  member: member && memberView(member),
});

function agentView(agent: AgentNow): AgentDocument {
  const { name, circuit, inFlight, room, waiting } = agent;
  const since = circuit.since === null ? null : iso(circuit.since);
  return { name, ...operatedView(agent), circuit: { ...circuit, since }, inFlight, room, waiting };
}

const agentsView = ({ agents, pools }: AgentsNow): Omit<AgentsDocument, 'limits'> => ({
  agents: agents.map(agentView),
  pools: pools.map(({ name, members, isHeldBack, waiting }) => ({
    ...{ name, waiting },
    members: [...members],
    heldBack: isHeldBack,
  })),
});
