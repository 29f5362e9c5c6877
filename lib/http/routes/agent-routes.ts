/** Agents: what they do now, and what operators change of them while orders run. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Changed } from '#core/definition/agent-settings.ts';
import type { AgentNow, AgentsNow, MemberNow } from '#core/view/agents-now.ts';
import { authorised } from '#http/access/access.ts';
import {
  type AgentDocument,
  type AgentsDocument,
  agentSchema,
  agentsSchema,
} from '#http/agent-schemas.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { problem, problemResponses, Refusal } from '#http/problem.ts';
import { agentChangeSchema } from '#http/requests/request-schemas.ts';
import type { AgentOutcome, AgentRequest } from '#roles/agent-control.ts';
import { jsonResponse } from './json-response.ts';

const listRoute = createRoute({
  ...authorised('listAgents'),
  tags: ['Agents'],
  summary: 'List agents and pools',
  description:
    'Each agent with its state, its pool, domain and weight, its circuit, and what is in flight and waits, where that is known; each pool with its members.',
  responses: {
    200: jsonResponse('Every agent and pool.', agentsSchema),
    ...problemResponses(400, 401, 403, 503),
  },
});

const agentParam = z.object({
  name: z.string().openapi({ param: { name: 'name', in: 'path' }, description: 'The agent.' }),
});

const changeRoute = createRoute({
  ...authorised('changeAgent'),
  tags: ['Agents'],
  summary: 'Drain or resume an agent, or change its weight',
  description:
    'No new calls go to a drained agent: steps go to other members of its pool. Steps in doubt and undos that are bound to its domain still go there, and calls in flight go on. The steps of an agent without a pool, or of a pool without another member, are held until it is resumed; no failure is counted.',
  request: {
    params: agentParam,
    body: { required: true, content: { 'application/json': { schema: agentChangeSchema } } },
  },
  responses: {
    200: jsonResponse('Stored. It is in force within a second.', agentSchema),
    ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function agentRoutes(app: OpenAPIHono, { agents }: Pick<ApiPorts, 'agents'>): void {
  app.openapi(listRoute, async (context) => context.json(agentsView(await agents.list()), 200));
  app.openapi(changeRoute, async (context) => {
    const { name } = context.req.valid('param');
    const { drained = false, weight } = context.req.valid('json');
    const request: AgentRequest =
      weight === undefined ? { kind: drained ? 'drain' : 'resume' } : { kind: 'weight', weight };
    const outcome = await agents.change(name, request, context.get('principal').name);
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

const agentsView = ({ agents, pools }: AgentsNow): AgentsDocument => ({
  agents: agents.map(agentView),
  pools: pools.map(({ name, members, isHeldBack, waiting }) => ({
    ...{ name, waiting },
    members: [...members],
    heldBack: isHeldBack,
  })),
});
