// examples/recipes/contracts.ts
import { defineAgent } from 'reeve';
import * as z from 'zod';

const orderId = z.string();
const amount = { amountCents: z.int(), currency: z.string() };

export const shipToSchema = z.strictObject({
  name: z.string().meta({ sensitive: true }),
  street: z.string().meta({ sensitive: true }),
  city: z.string(),
  postalCode: z.string(),
  country: z.string(),
});

export const fraud = defineAgent({
  name: 'fraud',
  input: z.object({ orderId, customer: z.string(), ...amount }),
  output: z.object({ score: z.number() }),
  undo: 'unneeded',
});

export const inventory = defineAgent({
  name: 'inventory',
  input: z.object({
    orderId,
    lines: z.array(z.object({ sku: z.string(), quantity: z.int() })),
  }),
  output: z.object({ reservationId: z.string() }),
  undo: 'offered',
});

export const payment = defineAgent({
  name: 'payment',
  input: z.object({ orderId, ...amount, token: z.string().meta({ sensitive: true }) }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});

export const shipping = defineAgent({
  name: 'shipping',
  input: z.object({ orderId, reservationId: z.string(), shipTo: shipToSchema }),
  output: z.object({ trackingId: z.string() }),
  undo: 'impossible',
});
