/** `reeve list`: orders, newest first, by pages. */
import type { z } from 'zod';
import { listSchema } from '#cli/api/response-schemas.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import type { ExitCode } from '#cli/exit-code.ts';
import { filterWords, type OrderFilter, queryOf, withInstants } from '#cli/options/order-filter.ts';
import { commandText } from '#cli/output/command-text.ts';
import { stateText } from '#cli/output/state-text.ts';
import { tableLines } from '#cli/output/table.ts';
import { isTurn } from '#text/gate-text.ts';
import { relativeTime } from '#text/relative-time.ts';

export interface ListOptions extends OrderFilter {
  readonly limit?: number;
  readonly cursor?: string;
}

const titles = ['ORDER', 'STATE', 'DIRECTION', 'WORKFLOW', 'SUBMITTED', 'UPDATED'];
const holdTitles = ['WAITS FOR', 'SINCE'];

export async function list(context: Context, given: ListOptions): Promise<ExitCode> {
  const options = withInstants(given, context.environment.now());
  const { limit, cursor } = options;
  const query = queryOf(options);
  if (limit !== undefined) query.set('limit', String(limit));
  if (cursor !== undefined) query.set('cursor', cursor);
  const path = query.size === 0 ? '/orders' : `/orders?${query}`;
  return askAndPrint(
    context,
    context.reeve,
    { method: 'GET', path, answer: listSchema },
    (page) => [
      ...pageLines(context, page, given.held === true),
      ...nextLines(context, options, page.cursor),
    ],
  );
}

function pageLines(
  { environment, paint }: Context,
  { orders, cursor }: z.infer<typeof listSchema>,
  withHolds: boolean,
): string[] {
  if (orders.length === 0) return [cursor === null ? 'No orders.' : 'No orders on this page.'];
  const nowMs = environment.now();
  const rows = orders.map((order) => [
    order.orderId,
    stateText(order.processState, paint),
    order.direction,
    order.workflow,
    relativeTime(order.submittedAt, nowMs),
    relativeTime(order.updatedAt, nowMs),
    ...(withHolds ? holdCells(order.held, nowMs) : []),
    order.fault?.code ?? '',
  ]);
  return tableLines([...titles, ...(withHolds ? holdTitles : []), 'FAULT'], rows, paint);
}

type Holds = z.infer<typeof listSchema>['orders'][number]['held'];

/** The agents with their gates, or the earlier orders, and since when the order has waited for one of them. */
function holdCells(held: Holds, nowMs: number): string[] {
  const agents = new Set(
    held.map(({ agent, gate }) => (isTurn(gate) ? 'earlier orders (turn)' : `${agent} (${gate})`)),
  );
  const since = Math.min(...held.map((one) => one.since));
  return [[...agents].join(', '), Number.isFinite(since) ? relativeTime(since, nowMs) : ''];
}

/** The command for the next page. */
function nextLines(
  context: Context,
  { limit, ...filter }: ListOptions,
  cursor: string | null,
): string[] {
  if (cursor === null) return [];
  const words = [
    ...filterWords(filter),
    ...(limit === undefined ? [] : ['--limit', String(limit)]),
    '--cursor',
    cursor,
  ];
  return ['', `${context.paint('dim', 'more:')} ${commandText(context, 'list', words)}`];
}
