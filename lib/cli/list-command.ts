/** `reeve list`: orders, newest first, a page at a time. */
import type { z } from 'zod';
import { askAndPrint, type Context } from './context.ts';
import { listSchema } from './documents.ts';
import type { ExitCode } from './exit-code.ts';
import { relativeTime } from './relative-time.ts';
import { stateText } from './state-text.ts';
import { tableLines } from './table.ts';

export interface ListOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const titles = ['ORDER', 'STATE', 'DIRECTION', 'WORKFLOW', 'SUBMITTED', 'UPDATED', 'FAULT'];

export async function list(context: Context, options: ListOptions): Promise<ExitCode> {
  const { state, limit, cursor } = options;
  const query = new URLSearchParams({
    ...(state !== undefined && { state }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(cursor !== undefined && { cursor }),
  });
  const path = query.size === 0 ? '/orders' : `/orders?${query}`;
  return askAndPrint(
    context,
    context.reeve,
    { method: 'GET', path, answer: listSchema },
    (page) => [...pageLines(context, page), ...nextLines(context, options, page.cursor)],
  );
}

function pageLines({ world, paint }: Context, { orders }: z.infer<typeof listSchema>): string[] {
  if (orders.length === 0) return ['No orders.'];
  const now = world.now();
  const rows = orders.map((order) => [
    order.orderId,
    stateText(order.processState, paint),
    order.direction,
    order.workflow,
    relativeTime(order.submittedAt, now),
    relativeTime(order.updatedAt, now),
    order.fault?.code ?? '',
  ]);
  return tableLines(titles, rows, paint);
}

/** The very command that shows the next page. */
function nextLines(
  { paint, addressOptions }: Context,
  { state, limit }: ListOptions,
  cursor: string | null,
): string[] {
  if (cursor === null) return [];
  const words = [
    'reeve list',
    ...addressOptions.map(quoted),
    ...(state === undefined ? [] : ['--state', state]),
    ...(limit === undefined ? [] : ['--limit', String(limit)]),
    '--cursor',
    quoted(cursor),
  ];
  return ['', `${paint('dim', 'more:')} ${words.join(' ')}`];
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
