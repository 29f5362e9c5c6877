/** Agents and their limits: what they do now, and what operators change of them while orders run. */
import type { Changed } from '#core/definition/agent-settings.ts';
import type { AgentNow, AgentsNow, MemberNow } from '#core/view/agents-now.ts';
import type { AgentDocument, AgentsDocument, LimitDocument } from '#http/agent-schemas.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { problem, Refusal } from '#http/problem.ts';
import type { AgentOutcome, AgentRequest } from '#roles/agent-control.ts';
import type { LimitNow, LimitOutcome } from '#roles/limit-control.ts';
import type { ApiRouter } from './api-router.ts';
import { serve } from './serve.ts';

export function agentRoutes(
  app: ApiRouter,
  { agents, limits }: Pick<ApiPorts, 'agents' | 'limits'>,
): void {
  serve(app, 'listAgents', async (context) => {
    const [now, allowed] = await Promise.all([agents.list(), limits.list()]);
    return context.json({ ...agentsView(now), limits: allowed.map(limitView) }, 200);
  });
  serve(app, 'changeAgent', async (context) => {
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
