/** `reeve show`: one order, once or until it ends. */

import { exitCodeOf, followToEnd, orderCall, type View } from '#cli/api/follow.ts';
import type { OrderDocument } from '#cli/api/response-schemas.ts';
import { askAndPrint, type Context, printLines } from '#cli/context.ts';
import type { ExitCode } from '#cli/exit-code.ts';
import {
  acceptedLine,
  documentLines,
  historyLines,
  orderLines,
  troubleLines,
} from '#cli/output/order-text.ts';
import { changesView, frameView, jsonView } from '#cli/output/views.ts';

export interface ShowOptions {
  readonly watch?: boolean;
}

export async function show(
  context: Context,
  orderId: string,
  { watch = false }: ShowOptions,
): Promise<ExitCode> {
  if (watch) return watchToEnd(context, orderId);
  const lines = (order: OrderDocument) => fullLines(context, order);
  return askAndPrint(context, context.reeve, orderCall(orderId), lines);
}

async function watchToEnd(context: Context, orderId: string): Promise<ExitCode> {
  const { environment, json, paint } = context;
  const isTerminal = environment.terminal() !== null;
  const view = viewFor(context, isTerminal);
  const { value: order } = await followToEnd(context, orderId, view, false);
  if (!json) {
    const summary = [acceptedLine(order, paint), ...troubleLines(order, context)];
    printLines(environment, isTerminal ? fullLines(context, order) : summary);
  }
  return exitCodeOf(order);
}

function viewFor(context: Context, isTerminal: boolean): View {
  if (context.json) return jsonView(context);
  return isTerminal ? frameView(context) : changesView(context);
}

function fullLines(context: Context, order: OrderDocument): string[] {
  const { environment, paint } = context;
  const nowMs = environment.now();
  const documents = documentLines(order, paint);
  return [
    ...orderLines(order, nowMs, context),
    ...(documents.length === 0 ? [] : ['', paint('bold', 'INPUTS AND OUTPUTS'), ...documents]),
    '',
    paint('bold', 'HISTORY'),
    ...historyLines(order, nowMs, paint),
  ];
}
