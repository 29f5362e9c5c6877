/**
 * `reeve resubmit`, `reeve cancel` and `reeve reprioritise` for many orders: a preview that changes nothing and, with
 * `--yes`, the action. A resubmit and a cancel name the revision that was listed; an order that has changed since is listed
 * again, and asked again if it is still selected. The same command continues where it was interrupted.
 */
import type { SummaryDocument } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import type { Corrections } from '#cli/options/set-option.ts';
import { commandText } from '#cli/output/command-text.ts';
import { tableLines } from '#cli/output/table.ts';
import {
  type Action,
  type Asked,
  askUntilDone,
  isToDo,
  type Operation,
  type Outcome,
} from './bulk-asking.ts';
import { type BulkFilter, type BulkSelection, bulkSelection, bulkWords } from './bulk-selection.ts';

export interface BulkOptions extends BulkFilter {
  readonly yes?: boolean;
  readonly set?: Corrections;
  /** The new priority; only for `reprioritise`. */
  readonly priority?: string;
}

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
  return carryOut(context, operation, selection);
}

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

async function carryOut(
  context: Context,
  operation: Operation,
  selection: BulkSelection,
): Promise<ExitCode> {
  const asked = new Map<string, Asked>();
  const report = () =>
    print(
      context,
      operation.action,
      [...asked.values()].map(({ outcome }) => outcome),
    );
  try {
    await askUntilDone(context, operation, selection, asked, () => {
      if (context.json) return;
      const command = commandOf(context, operation, selection.filter);
      context.environment.stderr(`To continue after an interruption: ${command}\n`);
    });
  } catch (error) {
    // What was done is reported although what has changed meanwhile could not be listed.
    if (asked.size > 0) report();
    throw error;
  }
  return report();
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
  if (json) {
    // Only now is it known that they are not asked again.
    for (const outcome of refused) printJson(environment, outcome);
  } else {
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
