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
import { agentChangeSchema, agentWeightSchema } from '#http/requests/request-schemas.ts';
import type { AgentOutcome } from '#roles/agent-control.ts';
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
const changeResponses = {
  200: jsonResponse('Stored. It is in force within a second.', agentSchema),
  ...problemResponses(400, 401, 403, 404, 413, 415, 422, 503),
};
const changeBody = {
  params: agentParam,
  body: { required: false, content: { 'application/json': { schema: agentChangeSchema } } },
};

const drainRoute = createRoute({
  ...authorised('drainAgent'),
  tags: ['Agents'],
  summary: 'Let no new calls go to an agent',
  description:
    'Steps go to other members of its pool. Steps in doubt and undos that are bound to its domain still go there, and calls in flight go on. The steps of an agent without a pool, or of a pool without another member, are held until it is resumed; no failure is counted.',
  request: changeBody,
  responses: changeResponses,
});

const resumeRoute = createRoute({
  ...authorised('resumeAgent'),
  tags: ['Agents'],
  summary: 'Let new calls go to a drained agent again',
  description: 'What waits for it goes on.',
  request: changeBody,
  responses: changeResponses,
});

const weightRoute = createRoute({
  ...authorised('weighAgent'),
  tags: ['Agents'],
  summary: 'Change the weight of a member of a pool',
  description:
    'Its share of the calls that may go to any member, also of those that wait. With 0 it only gets what is bound to its domain.',
  request: {
    params: agentParam,
    body: { required: true, content: { 'application/json': { schema: agentWeightSchema } } },
  },
  responses: { ...changeResponses, ...problemResponses(409) },
});

export function agentRoutes(app: OpenAPIHono, { agents }: Pick<ApiPorts, 'agents'>): void {
  app.openapi(listRoute, async (context) => context.json(agentsView(await agents.list()), 200));
  app.openapi(drainRoute, async (context) => {
    const { name } = context.req.valid('param');
    const outcome = await agents.change(name, { kind: 'drain' }, context.get('principal').name);
    return context.json(changed(name, outcome), 200);
  });
  app.openapi(resumeRoute, async (context) => {
    const { name } = context.req.valid('param');
    const outcome = await agents.change(name, { kind: 'resume' }, context.get('principal').name);
    return context.json(changed(name, outcome), 200);
  });
  app.openapi(weightRoute, async (context) => {
    const { name } = context.req.valid('param');
    const { weight } = context.req.valid('json');
    const request = { kind: 'weight', weight } as const;
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
