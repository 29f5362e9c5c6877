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
    // A refusal is a wrong address in most cases: an operator corrects it and resubmits.
    onFault: 'hold',
    // There is no choice here: the parcel may be on its way.
    onExhausted: 'hold',
    retries: 10,
    coolDown: { after: 60_000, times: 20 },
    input: ({ orderId, details: { shipTo }, outputs }) => ({
      ...{ orderId, shipTo },
      reservationId: outputs.reserve.reservationId,
    }),
  })
  .build();
