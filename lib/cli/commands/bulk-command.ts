/**
 * `reeve resubmit`, `reeve cancel` and `reeve reprioritise` for many orders: a preview that changes nothing and, with
 * `--yes`, the action. A resubmit and a cancel name the revision that was listed; an order that has changed since is listed
 * again, and asked again if it is still selected. The same command continues where it was interrupted.
 */
import { acceptedSchema, type SummaryDocument } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import type { Corrections } from '#cli/options/set-option.ts';
import { commandText } from '#cli/output/command-text.ts';
import { progress } from '#cli/output/progress.ts';
import { progressBar } from '#cli/output/progress-bar.ts';
import { tableLines } from '#cli/output/table.ts';
import { type BulkFilter, type BulkSelection, bulkSelection, bulkWords } from './bulk-selection.ts';

export type Action = 'resubmit' | 'cancel' | 'reprioritise';

export interface BulkOptions extends BulkFilter {
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
/** Requests for an order that changes again and again. */
const triesMax = 3;

export async function bulk(
  context: Context,
  action: Action,
  { yes, set, priority, ...options }: BulkOptions,
): Promise<ExitCode> {
  if (set !== undefined)
    throw new CliError(exitCodes.usage, '--set corrects one order: give its id.');
  if (action === 'resubmit') refuseUnlessInError(options);
  // A forgotten filter must not select every order.
  if (bulkWords(options).length === 0) {
    const message = `Name an order, or select orders by options: ${examples[action]}.`;
    throw new CliError(exitCodes.usage, message);
  }
  const state = options.state ?? (action === 'resubmit' ? 'Error' : undefined);
  const selection = await bulkSelection(context, {
    ...options,
    ...(state !== undefined && { state }),
  });
  const operation = { action, priority };
  if (yes !== true) {
    return look(context, operation, selection.filter, await found(operation, selection));
  }
  return print(context, action, await carryOut(context, operation, selection));
}

/** Whether there is something to do: what the operation would bring about may be so already. */
const isToDo =
  ({ action, priority }: Operation) =>
  (order: SummaryDocument): boolean =>
    order.priority !== priority &&
    !(action === 'cancel' && order.direction === 'undo' && order.processState !== 'Error');

/** The orders that are selected now. */
async function found(
  operation: Operation,
  { listings }: BulkSelection,
): Promise<readonly SummaryDocument[]> {
  const orders = new Map<string, SummaryDocument>();
  for await (const { listed, isFirst } of listings()) {
    const before = orders.size;
    for (const order of listed.filter(isToDo(operation))) orders.set(order.orderId, order);
    if (orders.size === before && !isFirst) break;
  }
  return [...orders.values()];
}

/** Refuses at once what the API would refuse for each order. */
function refuseUnlessInError({ state = 'Error' }: BulkFilter): void {
  if (state === 'Error') return;
  const message = `Only orders in Error can be resubmitted, not those in the state ${state}. Use --state Error, or leave out --state.`;
  throw new CliError(exitCodes.usage, message);
}

const examples: Readonly<Record<Action, string>> = {
  resubmit: '--state Error selects every order in Error',
  cancel: '--workflow NAME selects every order of a workflow that has not ended',
  reprioritise: '--held selects every order that waits for its agent',
};

function look(
  context: Context,
  operation: Operation,
  filter: BulkFilter,
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

function commandOf(context: Context, { action, priority }: Operation, filter: BulkFilter): string {
  const to = priority === undefined ? [] : ['--priority', priority];
  return commandText(context, action, [...to, ...bulkWords(filter), '--yes']);
}

const count = (orders: number) =>
  orders === 1 ? '1 order' : `${orders.toLocaleString('en')} orders`;

interface Outcome {
  readonly orderId: string;
  readonly kind: 'done' | 'refused' | 'failed';
  /** The resulting state, or the reason for the refusal. */
  readonly what: string;
}

/** The last outcome of an order, and what was asked for it. */
interface Asked {
  readonly outcome: Outcome;
  readonly revision: number;
  readonly tries: number;
}

async function carryOut(
  context: Context,
  operation: Operation,
  { filter, listings }: BulkSelection,
): Promise<readonly Outcome[]> {
  const { environment } = context;
  const asked = new Map<string, Asked>();
  for await (const { listed, isFirst } of listings()) {
    const orders = listed.filter(isToDo(operation)).filter((order) => isToAsk(order, asked));
    if (orders.length === 0 && !isFirst) break;
    if (!context.json && orders.length > 0 && asked.size === 0) {
      environment.stderr(
        `To continue after an interruption: ${commandOf(context, operation, filter)}\n`,
      );
    }
    await askAll(context, operation, orders, asked);
  }
  const outcomes = [...asked.values()].map(({ outcome }) => outcome);
  // Only now is it known that they are not asked again.
  if (context.json) {
    for (const outcome of outcomes) if (outcome.kind === 'refused') printJson(environment, outcome);
  }
  return outcomes;
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
