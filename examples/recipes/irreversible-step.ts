// examples/recipes/irreversible-step.ts
import { defineWorkflow } from 'reeve';
import * as z from 'zod';
import { inventory, shipping, shipToSchema } from './contracts.ts';

const details = z.strictObject({ sku: z.string(), shipTo: shipToSchema });

export const irreversibleStep = defineWorkflow({ name: 'irreversible-step', version: 1, details })
  .step('reserve', {
    agent: inventory,
    input: ({ orderId, details: { sku } }) => ({ orderId, lines: [{ sku, quantity: 1 }] }),
  })
  .step('ship', {
    agent: shipping,
    after: ['reserve'],
    irreversible: true,
    // A refusal usually means a wrong address: an operator corrects it and resubmits.
    onFault: 'hold',
    // The only choice, because the parcel may have been sent.
    onExhausted: 'hold',
    retries: 10,
    coolDown: { after: 60_000, times: 20 },
    input: ({ orderId, details: { shipTo }, outputs }) => ({
      ...{ orderId, shipTo },
      reservationId: outputs.reserve.reservationId,
    }),
  })
  .build();
