/** `reeve suppliers`: the faults and the effect ledger of the simulated suppliers. */

import {
  allServicesSchema,
  type FaultSettings,
  type LedgerEntry,
  ledgerSchema,
  oneServiceSchema,
} from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import type { Paint } from '#cli/output/paint.ts';
import { tableLines } from '#cli/output/table.ts';
import { relativeTime } from '#text/relative-time.ts';

export async function showFaults(context: Context): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.suppliers,
    { method: 'GET', path: '/faults', answer: allServicesSchema },
    (faults) => faultTable(Object.entries(faults), context.paint),
  );
}

/** @param pairs `name=value`, at least one */
export async function setFaults(
  context: Context,
  service: string,
  pairs: readonly string[],
): Promise<ExitCode> {
  const settings = Object.fromEntries(pairs.map(settingOf));
  return askAndPrint(
    context,
    context.suppliers,
    {
      method: 'PUT',
      path: `/faults/${encodeURIComponent(service)}`,
      answer: oneServiceSchema,
      body: JSON.stringify(settings),
    },
    (faults) => faultTable([[service, faults]], context.paint),
  );
}

export async function resetFaults(context: Context): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.suppliers,
    { method: 'DELETE', path: '/faults', answer: allServicesSchema },
    (faults) => faultTable(Object.entries(faults), context.paint),
  );
}

export async function showLedger(context: Context, orderId: string | undefined): Promise<ExitCode> {
  const query = orderId === undefined ? '' : `?${new URLSearchParams({ orderId })}`;
  return askAndPrint(
    context,
    context.suppliers,
    { method: 'GET', path: `/ledger${query}`, answer: ledgerSchema },
    ({ entries }) => ledgerTable(entries, context),
  );
}

const kinds: Readonly<Record<keyof FaultSettings, 'number' | 'flag'>> = {
  latencyMs: 'number',
  transientRate: 'number',
  hangRate: 'number',
  declineRate: 'number',
  down: 'flag',
};
const kindByName: ReadonlyMap<string, 'number' | 'flag'> = new Map(Object.entries(kinds));

function settingOf(pair: string): [string, number | boolean] {
  const split = pair.indexOf('=');
  const name = split < 0 ? pair : pair.slice(0, split);
  const text = split < 0 ? '' : pair.slice(split + 1).trim();
  const kind = kindByName.get(name);
  if (kind === undefined) {
    const names = [...kindByName.keys()].join(', ');
    throw new CliError(exitCodes.usage, `${pair}: name=value with one of the names ${names}.`);
  }
  if (kind === 'flag') {
    if (text === 'true' || text === 'false') return [name, text === 'true'];
    throw new CliError(exitCodes.usage, `${pair}: ${name} must be true or false.`);
  }
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return [name, Number(text)];
  throw new CliError(exitCodes.usage, `${pair}: ${name} must be a number such as 200 or 0.1.`);
}

function faultTable(faults: readonly (readonly [string, FaultSettings])[], paint: Paint): string[] {
  const value = (setting: number) =>
    setting === 0 ? String(setting) : paint('yellow', String(setting));
  const rows = faults.map(([service, settings]) => [
    service,
    value(settings.latencyMs),
    value(settings.transientRate),
    value(settings.hangRate),
    value(settings.declineRate),
    settings.down ? paint('red', 'true') : 'false',
  ]);
  // The names that `set` accepts.
  const titles = ['SERVICE', 'latencyMs', 'transientRate', 'hangRate', 'declineRate', 'down'];
  return tableLines(titles, rows, paint);
}

function ledgerTable(entries: readonly LedgerEntry[], { environment, paint }: Context): string[] {
  if (entries.length === 0) return ['No entries.'];
  const nowMs = environment.now();
  const rows = entries.map(({ orderId, service, state, calls, effects, at, key }) => [
    orderId ?? '–',
    service,
    state,
    String(calls),
    // Idempotency keys must prevent a second effect.
    effects > 1 ? paint('red', String(effects)) : String(effects),
    relativeTime(at, nowMs),
    key,
  ]);
  return tableLines(['ORDER', 'SERVICE', 'STATE', 'CALLS', 'EFFECTS', 'AT', 'KEY'], rows, paint);
}
