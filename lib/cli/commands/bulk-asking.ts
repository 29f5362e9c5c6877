/** The requests of a bulk command, a few at a time: what has changed meanwhile is listed again, and asked again. */
import { acceptedSchema, type SummaryDocument } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { type Context, printJson } from '#cli/context.ts';
import { exitCodes } from '#cli/exit-code.ts';
import { progress } from '#cli/output/progress.ts';
import { progressBar } from '#cli/output/progress-bar.ts';
import type { BulkSelection } from './bulk-selection.ts';

export type Action = 'resubmit' | 'cancel' | 'reprioritise';

/** What to do to each order. */
export interface Operation {
  readonly action: Action;
  readonly priority: string | undefined;
}

/** Concurrent requests: fast, and far below the throttling limits of a deployment. */
const atOnce = 8;
/** Requests for an order that changes again and again. */
const triesMax = 3;

/** Whether there is something to do: what the operation would bring about may be so already. */
export const isToDo =
  ({ action, priority }: Operation) =>
  (order: SummaryDocument): boolean =>
    order.priority !== priority &&
    !(action === 'cancel' && order.direction === 'undo' && order.processState !== 'Error');

export interface Outcome {
  readonly orderId: string;
  readonly kind: 'done' | 'refused' | 'failed';
  /** The resulting state, or the reason for the refusal. */
  readonly what: string;
}

/** The last outcome of an order, and what was asked for it. */
export interface Asked {
  readonly outcome: Outcome;
  readonly revision: number;
  readonly tries: number;
}

/**
 * Asks for each order that is selected, until nothing that is selected is left or a request failed. With `--json` it prints the outcomes that
 * are final.
 *
 * @param asked the last outcome of each order, by its id
 * @param onBegin is called before the first request
 */
export async function askUntilDone(
  context: Context,
  operation: Operation,
  { listings }: BulkSelection,
  asked: Map<string, Asked>,
  onBegin: () => void,
): Promise<void> {
  for await (const { listed, isFirst } of listings()) {
    const orders = listed.filter(isToDo(operation)).filter((order) => isToAsk(order, asked));
    if (orders.length === 0 && !isFirst) return;
    if (orders.length > 0 && asked.size === 0) onBegin();
    await askAll(context, operation, orders, asked);
    // The same command is to be run again.
    if ([...asked.values()].some(({ outcome }) => outcome.kind === 'failed')) return;
  }
}

/** An order that was refused is asked again only when it has changed since. */
function isToAsk(order: SummaryDocument, asked: ReadonlyMap<string, Asked>): boolean {
  const last = asked.get(order.orderId);
  if (last === undefined) return true;
  const { outcome, revision, tries } = last;
  return outcome.kind === 'refused' && order.revision !== revision && tries < triesMax;
}

async function askAll(
  context: Context,
  operation: Operation,
  orders: readonly SummaryDocument[],
  asked: Map<string, Asked>,
): Promise<void> {
  const line = progress(context);
  const waiting = [...orders];
  let done = 0;
  const work = async () => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const { orderId, revision } = order;
      const outcome = await ask(context, operation, order);
      const tries = (asked.get(orderId)?.tries ?? 0) + 1;
      asked.set(orderId, { outcome, revision, tries });
      done += 1;
      if (context.json && outcome.kind !== 'refused') printJson(context.environment, outcome);
      line.write((columns) => progressBar(done, orders.length, columns));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  line.clear();
}

async function ask(
  { reeve }: Context,
  { action, priority }: Operation,
  { orderId, revision }: SummaryDocument,
): Promise<Outcome> {
  try {
    const { value } = await reeve({
      method: 'POST',
      path: `/orders/${encodeURIComponent(orderId)}/${action}`,
      // A live order may have progressed since the listing, and gets the priority too.
      ...(action !== 'reprioritise' && { headers: { 'if-match': `"${revision}"` } }),
      answer: acceptedSchema,
      ...(priority !== undefined && { body: JSON.stringify({ priority }) }),
    });
    return { orderId, kind: 'done', what: value.processState };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const kind = error.code === exitCodes.refused ? 'refused' : 'failed';
    return { orderId, kind, what: error.message.split('\n')[0] ?? '' };
  }
}
