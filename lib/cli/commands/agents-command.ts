/** `reeve agents`: every agent and pool, and what operators change of them while orders run. */
import type { z } from 'zod';
import { agentSchema, agentsSchema } from '#cli/api/agent-schemas.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import type { ExitCode } from '#cli/exit-code.ts';
import type { Paint } from '#cli/output/paint.ts';
import { tableLines } from '#cli/output/table.ts';
import { relativeTime } from '#text/relative-time.ts';

type Agent = z.infer<typeof agentSchema>;
type Agents = z.infer<typeof agentsSchema>;

/** What an operator asks for. */
export type AgentAction = 'drain' | 'resume';

export async function showAgents(context: Context): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.reeve,
    { method: 'GET', path: '/agents', answer: agentsSchema },
    (agents) => agentLines(agents, context),
  );
}

/** Drains the agent, or resumes it. */
export async function operateAgent(
  context: Context,
  action: AgentAction,
  name: string,
): Promise<ExitCode> {
  return change(context, name, { drained: action === 'drain' });
}

/** @param weight null: that of the definition */
export async function weighAgent(
  context: Context,
  name: string,
  weight: number | null,
): Promise<ExitCode> {
  return change(context, name, { weight });
}

function change(context: Context, name: string, body: object): Promise<ExitCode> {
  const path = `/agents/${encodeURIComponent(name)}`;
  return askAndPrint(
    context,
    context.reeve,
    { method: 'POST', path, answer: agentSchema, body: JSON.stringify(body) },
    (agent) => {
      const { environment, paint } = context;
      const weight = agent.member === null ? '' : `, weight ${weightText(agent.member)}`;
      return [`Agent ${agent.name}  ${stateText(agent, environment.now(), paint)}${weight}`];
    },
  );
}

const titles = ['AGENT', 'POOL', 'DOMAIN', 'WEIGHT', 'IN FLIGHT', 'ROOM', 'WAITING', 'STATE'];

function agentLines({ agents, pools }: Agents, { environment, paint }: Context): string[] {
  const nowMs = environment.now();
  const rows = agents.map((agent) => [
    agent.name,
    agent.member?.pool ?? '',
    agent.member?.domain ?? '',
    agent.member === null ? '' : weightText(agent.member),
    ...[agent.inFlight, agent.room, agent.waiting].map(countText),
    stateText(agent, nowMs, paint),
  ]);
  const poolRows = pools.map(({ name, waiting, heldBack }) => [
    ...[`${name} (pool)`, '', '', '', '', '', countText(waiting)],
    heldBack ? paint('red', 'no member takes new calls') : '',
  ]);
  return tableLines(titles, [...rows, ...poolRows], paint);
}

/** Empty where it is not known. */
const countText = (count: number | null) => (count === null ? '' : String(count));

/** With who changed it. */
const weightText = ({ weight, changed }: NonNullable<Agent['member']>) =>
  changed === null ? String(weight) : `${weight} (${changed.by})`;

function stateText(
  { state, drained, circuit }: Pick<Agent, 'state' | 'drained' | 'circuit'>,
  nowMs: number,
  paint: Paint,
): string {
  const { since } = circuit;
  const outage =
    since === null ? '' : `circuit ${circuit.state} since ${relativeTime(since, nowMs)}`;
  if (drained === null) return outage === '' ? state : paint('red', outage);
  const by = `${state} by ${drained.by} ${relativeTime(drained.at, nowMs)}`;
  return paint('yellow', outage === '' ? by : `${by}, ${outage}`);
}
