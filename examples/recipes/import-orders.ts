// examples/recipes/import-orders.ts
import { reeveClient } from 'reeve/client';
import type { optionalStep } from './optional-step.ts';

export interface Sale {
  /** Names the sale in the shop. */
  readonly id: string;
  readonly customer: string;
  readonly amountCents: number;
  readonly token: string;
}

/** Submits sales, each once however often it is called, and returns those that were not accepted. */
export async function importSales(url: string, sales: readonly Sale[]) {
  const reeve = reeveClient<{ 'optional-step': typeof optionalStep }>({ url });
  const orders = sales.map(({ id, ...details }) => ({ details, key: `sale-${id}` }));
  const outcomes = await reeve.submitMany('optional-step', orders);
  return outcomes.flatMap((outcome) =>
    outcome.kind === 'refused' || outcome.kind === 'failed'
      ? [{ key: outcome.key, why: outcome.error.message }]
      : [],
  );
}
