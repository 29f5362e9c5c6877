// examples/recipes/limited-time.ts
import { defineWorkflow } from 'reeve';
import * as z from 'zod';
import { inventory, payment } from './contracts.ts';

const details = z.strictObject({
  amountCents: z.int(),
  sku: z.string(),
  token: z.string().meta({ sensitive: true }),
});

const second = 1_000;
const minute = 60 * second;

/** A customer waits for the answer: after a quarter of an hour it is no. */
export const limitedTime = defineWorkflow({
  name: 'limited-time',
  version: 1,
  details,
  completeWithin: 15 * minute,
  onLate: 'undo',
})
  .step('reserve', {
    agent: inventory,
    // 5 s, 10 s, 20 s, 40 s, then every minute: soon after a short disturbance, and sparingly after a long one.
    coolDown: { after: 5 * second, times: 15, factor: 2, max: minute },
    // Held for so long, the reservation counts as one failed round.
    holdMax: 2 * minute,
    input: ({ orderId, details: { sku } }) => ({ orderId, lines: [{ sku, quantity: 1 }] }),
  })
  .step('charge', {
    agent: payment,
    after: ['reserve'],
    // Money must be returned: try for three days, not for one.
    undo: { coolDown: { after: 10 * second, times: 80, factor: 2, max: 60 * minute } },
    input: ({ orderId, details: { amountCents, token } }) => ({
      ...{ orderId, amountCents, token },
      currency: 'EUR',
    }),
  })
  .build();
