// examples/recipes/one-per-cart.ts
import { defineWorkflow } from 'reeve';
import * as z from 'zod';
import { inventory, payment } from './contracts.ts';

const details = z.strictObject({
  cart: z.string(),
  sku: z.string(),
  amountCents: z.int(),
  token: z.string().meta({ sensitive: true }),
});

/** A customer who checks out twice pays once: while an order of the cart lives, a second one is answered with it. */
export const onePerCart = defineWorkflow({
  name: 'one-per-cart',
  version: 1,
  details,
  // 'wait': one after the other. 'replace': the earlier order is cancelled, and the new one begins when it has ended.
  singleton: { key: ({ details: { cart } }) => cart, else: 'skip' },
})
  .step('reserve', {
    agent: inventory,
    input: ({ orderId, details: { sku } }) => ({ orderId, lines: [{ sku, quantity: 1 }] }),
  })
  .step('charge', {
    agent: payment,
    after: ['reserve'],
    input: ({ orderId, details: { amountCents, token } }) => ({
      ...{ orderId, amountCents, token },
      currency: 'EUR',
    }),
  })
  .build();
