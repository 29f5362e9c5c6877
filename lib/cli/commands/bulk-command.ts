/**
 * `reeve resubmit`, `reeve cancel` and `reeve reprioritise` for many orders: a preview that changes nothing and, with
 * `--yes`, the action. A resubmit and a cancel name the revision that was listed, and skip orders that have changed
 * since the listing began: so the same command continues where it was interrupted.
 */
import { everyOrder } from '#cli/api/every-order.ts';
import { acceptedSchema, bulkPageSchema, type SummaryDocument } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { filterWords, type OrderFilter, withInstants } from '#cli/options/order-filter.ts';
import type { Corrections } from '#cli/options/set-option.ts';
import { commandText } from '#cli/output/command-text.ts';
import { progress } from '#cli/output/progress.ts';
import { progressBar } from '#cli/output/progress-bar.ts';
import { tableLines } from '#cli/output/table.ts';

export type Action = 'resubmit' | 'cancel' | 'reprioritise';

export interface BulkOptions extends OrderFilter {
  readonly yes?: boolean;
  readonly set?: Corrections;
  /** The new priority; only for `reprioritise`. */
  readonly priority?: string;
}

/** What to do to each order. */
interface Operation {
  readonly action: Action;
  readonly priority: string | undefined;
}

/** Concurrent requests: fast, and far below the throttling limits of a deployment. */
const atOnce = 8;

export async function bulk(
  context: Context,
  action: Action,
  { yes, set, priority, ...options }: BulkOptions,
): Promise<ExitCode> {
  if (set !== undefined)
    throw new CliError(exitCodes.usage, '--set corrects one order: give its id.');
  if (action === 'resubmit') refuseUnlessInError(options);
  const filter = await boundedFilter(context, action, options);
  const listed = await everyOrder(context, filter);
  // The others have it already.
  const orders = listed.filter((order) => order.priority !== priority);
  const operation = { action, priority };
  if (yes !== true) return look(context, operation, filter, orders);
  if (!context.json && orders.length > 0) {
    context.environment.stderr(
      `To continue after an interruption: ${commandOf(context, operation, filter)}\n`,
    );
  }
  const outcomes = await carryOut(context, operation, orders);
  return print(context, action, outcomes);
}

/** Refuses at once what the API would refuse for each order. */
function refuseUnlessInError({ state = 'Error' }: OrderFilter): void {
  if (state === 'Error') return;
  const message = `Only orders in Error can be resubmitted, not those in the state ${state}. Use --state Error, or leave out --state.`;
  throw new CliError(exitCodes.usage, message);
}

/** Replaces durations by instants, and adds an end, or an earlier one, so that orders that change from now on are excluded. */
async function boundedFilter(
  { environment, reeve }: Context,
  action: Action,
  options: OrderFilter,
): Promise<OrderFilter> {
  // A forgotten filter must not select every order.
  if (filterWords(options).length === 0) {
    const message = `Name an order, or select orders by options: ${examples[action]}.`;
    throw new CliError(exitCodes.usage, message);
  }
  const state = options.state ?? (action === 'resubmit' ? 'Error' : undefined);
  // The clock of the server: by another clock, an order that failed again could be included once more.
  const call = { method: 'GET', path: '/orders?limit=1', answer: bulkPageSchema } as const;
  const { value } = await reeve({ ...call, isRepeatable: true });
  const asOf = new Date(value.asOf).toISOString();
  const { before: given, ...filter } = withInstants(options, environment.now());
  const isEarlier = given !== undefined && given < asOf;
  return {
    ...filter,
    before: isEarlier ? given : asOf,
    ...(state !== undefined && { state }),
  };
}

const examples: Readonly<Record<Action, string>> = {
  resubmit: '--state Error selects every order in Error',
  cancel: '--workflow NAME selects every order of a workflow that has not ended',
  reprioritise: '--held selects every order that waits for its agent',
};

function look(
  context: Context,
  operation: Operation,
  filter: OrderFilter,
  orders: readonly SummaryDocument[],
): ExitCode {
  const { environment, paint, json } = context;
  if (json) {
    printJson(environment, {
      orders: orders.map(({ orderId, revision }) => ({ orderId, revision })),
    });
    return exitCodes.done;
  }
  if (orders.length === 0) {
    printLines(environment, ['No orders.']);
    return exitCodes.done;
  }
  const alike = Map.groupBy(orders, ({ workflow, processState, fault }) =>
    [workflow, processState, fault?.step ?? '–', fault?.code ?? '–'].join('\n'),
  );
  const rows = [...alike]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([key, own]) => [String(own.length), ...key.split('\n')]);
  printLines(environment, [
    ...tableLines(['ORDERS', 'WORKFLOW', 'STATE', 'STEP', 'FAULT'], rows, paint),
    '',
    `Nothing has been changed yet. To ${operation.action} ${count(orders.length)}:`,
    `  ${commandOf(context, operation, filter)}`,
  ]);
  return exitCodes.done;
}

function commandOf(context: Context, { action, priority }: Operation, filter: OrderFilter): string {
  const to = priority === undefined ? [] : ['--priority', priority];
  return commandText(context, action, [...to, ...filterWords(filter), '--yes']);
}

const count = (orders: number) =>
  orders === 1 ? '1 order' : `${orders.toLocaleString('en')} orders`;

interface Outcome {
  readonly orderId: string;
  readonly kind: 'done' | 'refused' | 'failed';
  /** The resulting state, or the reason for the refusal. */
  readonly what: string;
}

async function carryOut(
  context: Context,
  operation: Operation,
  orders: readonly SummaryDocument[],
): Promise<readonly Outcome[]> {
  const { environment } = context;
  const line = progress(context);
  const waiting = [...orders];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const outcome = await ask(context, operation, order);
      outcomes.push(outcome);
      if (context.json) printJson(environment, outcome);
      line.write((columns) => progressBar(outcomes.length, orders.length, columns));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  line.clear();
  return outcomes;
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

const past: Readonly<Record<Action, string>> = {
  resubmit: 'resubmitted',
  cancel: 'cancelled',
  reprioritise: 'reprioritised',
};

function print(context: Context, action: Action, outcomes: readonly Outcome[]): ExitCode {
  const { environment, json, paint } = context;
  const of = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind);
  const [done, refused, failed] = [of('done'), of('refused'), of('failed')];
  if (!json) {
    printLines(environment, [
      ...[...refused, ...failed].map(({ orderId, kind, what }) => `${orderId}  ${kind}: ${what}`),
      `${paint('green', '✓')} ${count(done.length)} ${past[action]}` +
        (refused.length > 0 ? `, ${refused.length} refused` : '') +
        (failed.length > 0 ? `, ${paint('red', `${failed.length} failed`)}: run it again` : ''),
    ]);
  }
  if (failed.length > 0) return exitCodes.failed;
  return refused.length > 0 ? exitCodes.refused : exitCodes.done;
}
