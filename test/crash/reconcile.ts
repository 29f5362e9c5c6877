/** Compares the ends of the orders with the suppliers' ledgers. */
import * as z from 'zod';
import type { Ended } from './submitter.ts';

const ledger = z.object({
  entries: z.array(
    z.object({
      service: z.string(),
      key: z.string(),
      state: z.string(),
      effects: z.int(),
      amountCents: z.int().optional(),
    }),
  ),
});
/** One idempotency key of a service. */
export type LedgerEntry = z.infer<typeof ledger>['entries'][number];

/** The services whose effects an order must have, or must not have left. */
const services = ['inventory', 'payment', 'shipping'];

export interface Reconciliation {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

export async function reconcile(
  ends: readonly Ended[],
  suppliersUrl: string,
): Promise<Reconciliation> {
  return reconcileEntries(ends, await ledgerEntries(suppliersUrl));
}

export async function ledgerEntries(suppliersUrl: string): Promise<readonly LedgerEntry[]> {
  const response = await fetch(`${suppliersUrl}/ledger`);
  return ledger.parse(await response.json()).entries;
}

export function reconcileEntries(
  ends: readonly Ended[],
  entries: readonly LedgerEntry[],
): Reconciliation {
  const byOrder = Map.groupBy(entries, ({ key }) => key.split('/')[0] ?? '');
  const faults = ends.flatMap((order) => faultsOf(order, byOrder.get(order.orderId) ?? []));
  const known = new Set(ends.map(({ orderId }) => orderId));
  for (const orderId of byOrder.keys()) {
    if (!known.has(orderId)) faults.push(`${orderId}: effects of an order that was not submitted`);
  }
  const processed = ends.filter(({ processState }) => processState === 'Processed');
  const expected = processed.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const charged = applied(entries, 'payment').reduce(
    (sum, { amountCents = 0 }) => sum + amountCents,
    0,
  );
  if (expected !== charged) faults.push(`charged ${charged} cents, where ${expected} are due`);
  return {
    faults,
    counts: {
      processed: processed.length,
      undone: ends.length - processed.length,
      centsDue: expected,
      centsCharged: charged,
      undoneEffects: entries.filter(({ state }) => state === 'undone').length,
      tombstones: entries.filter(({ state }) => state === 'tombstoned').length,
    },
  };
}

function faultsOf({ orderId, processState }: Ended, entries: readonly LedgerEntry[]): string[] {
  const wanted = processState === 'Processed' ? 1 : 0;
  return services.flatMap((service) => {
    const found = applied(entries, service).length;
    const twice = entries.filter((entry) => entry.service === service && entry.effects > 1);
    return [
      ...(found === wanted
        ? []
        : [`${orderId} is ${processState}, but ${service} has ${found} effects in force`]),
      ...twice.map(({ key, effects }) => `${key} took effect ${effects} times`),
    ];
  });
}

function applied(entries: readonly LedgerEntry[], service: string): LedgerEntry[] {
  return entries.filter((entry) => entry.service === service && entry.state === 'applied');
}
