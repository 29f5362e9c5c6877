/** The agents of the shipped workflow: input, output, and whether they offer an undo. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { shipToSchema } from './order-details.ts';

const orderId = z.string();
const amount = { amountCents: z.int(), currency: z.string() };

/** Scores the risk of an order; without effects. */
export const fraud = defineAgent({
  name: 'fraud',
  input: z.object({ orderId, customer: z.string(), ...amount }),
  output: z.object({ score: z.number() }),
  undo: 'unneeded',
});

/** Reserves the items of an order; its undo releases them. */
export const inventory = defineAgent({
  name: 'inventory',
  input: z.object({
    orderId,
    lines: z.array(z.object({ sku: z.string(), quantity: z.int() })),
  }),
  output: z.object({ reservationId: z.string() }),
  undo: 'offered',
});

/** Charges the customer; its undo refunds. */
export const payment = defineAgent({
  name: 'payment',
  input: z.object({ orderId, ...amount, token: z.string().meta({ sensitive: true }) }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});

/** Ships the order, which cannot be undone. */
export const shipping = defineAgent({
  name: 'shipping',
  input: z.object({ orderId, reservationId: z.string(), shipTo: shipToSchema }),
  output: z.object({ trackingId: z.string() }),
  undo: 'impossible',
});
