/** `GET /activity`: the last hour by minute, and the numbers of live orders and calls. */
import type { AgentNow } from '#core/view/agents-now.ts';
import type { ActivityDocument } from '#http/activity-schemas.ts';
import type { Activity, AgentActivity, AliveCounts, ProcessApiPorts } from '#http/api-ports.ts';
import { operatedView } from './agent-routes.ts';
import type { ApiRouter } from './api-router.ts';
import { serve } from './serve.ts';

type ActivityPorts = Pick<ProcessApiPorts, 'lastSweepAt' | 'agents' | 'activity'>;

export function activityRoute(app: ApiRouter, ports: ActivityPorts): void {
  serve(app, 'showActivity', async (context) => {
    const [{ agents }, lastSweepAt] = await Promise.all([ports.agents.list(), ports.lastSweepAt()]);
    const operated = new Map<string, AgentNow>(agents.map((agent) => [agent.name, agent]));
    return context.json(activityView(ports.activity(), operated, lastSweepAt), 200);
  });
}

const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

function activityView(
  activity: Activity,
  operated: ReadonlyMap<string, AgentNow>,
  lastSweepAt: number | null,
): ActivityDocument {
  return {
    since: iso(activity.since),
    lastSweepAt: isoOrNull(lastSweepAt),
    minutes: activity.minutes.map(({ at, ...counts }) => ({ at: iso(at), ...counts })),
    counting: activity.isCounting,
    orders: sum(activity.workflows.map(({ orders }) => orders)),
    workflows: activity.workflows.map((workflow) => ({ ...workflow })),
    agents: activity.agents.map((agent) => agentView(agent, operated.get(agent.name))),
    pools: activity.pools.map(({ members, oldestAt, held, ...pool }) => ({
      ...pool,
      members: [...members],
      oldestAt: isoOrNull(oldestAt),
      held: held.map((hold) => ({ ...hold, since: iso(hold.since) })),
    })),
    flow: {
      ...activity.flow,
      nudgeSince: isoOrNull(activity.flow.nudgeSince),
      lastRefusedAt: isoOrNull(activity.flow.lastRefusedAt),
    },
    channels: activity.channels.map(({ failingSince, ...channel }) => ({
      ...channel,
      failingSince: isoOrNull(failingSince),
    })),
  };
}

function agentView(
  activity: AgentActivity,
  now: AgentNow | undefined,
): ActivityDocument['agents'][number] {
  const { oldestAt, held, circuit, endpoints, ...agent } = activity;
  const calls = agent.succeeded + agent.failed + agent.timedOut;
  return {
    ...agent,
    ...(now === undefined ? unused : operatedView(now)),
    oldestAt: isoOrNull(oldestAt),
    held: held.map((hold) => ({ ...hold, since: iso(hold.since) })),
    circuit: {
      ...circuit,
      since: isoOrNull(circuit.since),
      probeAt: isoOrNull(circuit.probeAt),
    },
    endpoints: endpoints.map(({ ejection, ...endpoint }) => ({
      ...endpoint,
      ejectedUntil: isoOrNull(ejection?.until ?? null),
      ejections: ejection?.count ?? 0,
    })),
    successRate: calls === 0 ? null : agent.succeeded / calls,
  };
}

/** No workflow uses the agent. */
const unused = { state: 'healthy', drained: null, member: null } as const;

function sum(counts: readonly AliveCounts[]): AliveCounts {
  const all = { Pending: 0, Processing: 0, Error: 0 };
  for (const { Pending, Processing, Error: error } of counts) {
    all.Pending += Pending;
    all.Processing += Processing;
    all.Error += error;
  }
  return all;
}
