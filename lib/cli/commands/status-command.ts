/** `reeve status`: what waits now, for which agent and why. */
import type { z } from 'zod';
import { activitySchema } from '#cli/api/response-schemas.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import type { ExitCode } from '#cli/exit-code.ts';
import type { Paint } from '#cli/output/paint.ts';
import { tableLines } from '#cli/output/table.ts';
import { durationText, relativeTime } from '#text/relative-time.ts';

export async function showStatus(context: Context): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.reeve,
    { method: 'GET', path: '/activity', answer: activitySchema },
    (activity) => statusLines(context, activity),
  );
}

const titles = ['AGENT', 'CIRCUIT', 'IN FLIGHT', 'WAITING', 'HELD', 'SINCE', 'NEXT PROBE'];

/** One that is due is made by the next step that needs the agent. */
const probeText = (probeAt: number, nowMs: number): string =>
  probeAt > nowMs ? `in ${durationText(probeAt - nowMs)}` : 'with the next step';

type Activity = z.infer<typeof activitySchema>;

function statusLines(
  { environment, paint }: Context,
  { counting, orders, agents, pools, flow }: Activity,
): string[] {
  const nowMs = environment.now();
  const rows = agents.map(({ name, circuit, drained, inFlight, waiting, held }) => {
    const { probeAt } = circuit;
    const state = circuit.state === 'closed' ? 'closed' : paint('red', circuit.state);
    return [
      name,
      drained === null ? state : `${state}, ${paint('yellow', 'drained')}`,
      String(inFlight),
      String(waiting),
      ...heldCells(held, nowMs),
      probeAt === null ? '' : probeText(probeAt, nowMs),
    ];
  });
  const poolRows = pools.map(({ name, waiting, held }) => [
    ...[`${name} (pool)`, '', '', String(waiting)],
    ...heldCells(held, nowMs),
    '',
  ]);
  return [
    ...tableLines(titles, [...rows, ...poolRows], paint),
    '',
    ...endpointLines(agents, nowMs, paint),
    `Orders: ${orders.Pending} Pending, ${orders.Processing} Processing, ${orders.Error} in Error`,
    ...(counting ? ['Some orders of the last process are not counted yet.'] : []),
    ...flowLines(flow, nowMs),
  ];
}

/** How many steps are held, and since when. */
function heldCells(held: Activity['pools'][number]['held'], nowMs: number): readonly string[] {
  const since = Math.min(...held.map((one) => one.since));
  return [
    held.map(({ gate, steps }) => `${steps} (${gate})`).join(', '),
    Number.isFinite(since) ? relativeTime(since, nowMs) : '',
  ];
}

const endpointTitles = ['ENDPOINT', 'AGENT', 'STATE', 'IN FLIGHT', 'LATENCY MS', 'CALLED AGAIN'];

/** Nothing when every service has one address. */
function endpointLines(agents: Activity['agents'], nowMs: number, paint: Paint): string[] {
  const rows = agents.flatMap(({ name, endpoints }) =>
    endpoints.map(({ url, state, inFlight, latencyMs, ejectedUntil }) => [
      url,
      name,
      state === 'healthy' ? state : paint('red', state),
      String(inFlight),
      latencyMs === null ? '' : String(Math.round(latencyMs)),
      ejectedUntil === null ? '' : relativeTime(ejectedUntil, nowMs),
    ]),
  );
  return rows.length === 0 ? [] : [...tableLines(endpointTitles, rows, paint), ''];
}

function flowLines({ waiting, nudgeSince, sweepLagMs, refused }: Activity['flow'], nowMs: number) {
  const { high, normal, low } = refused;
  const since =
    nudgeSince === null ? '' : `, for a Scheduler since ${relativeTime(nudgeSince, nowMs)}`;
  return [
    `Wait: ${waiting} for a Scheduler or an agent${since}`,
    `Refused since the start: ${high} high, ${normal} normal, ${low} low`,
    `Supervisor: ${durationText(sweepLagMs)} behind`,
  ];
}
