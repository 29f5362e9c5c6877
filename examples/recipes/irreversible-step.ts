// examples/recipes/irreversible-step.ts
import * as z from 'zod';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { inventory, shipping } from '#workflows/order-contracts.ts';
import { shipToSchema } from '#workflows/order-details.ts';

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
