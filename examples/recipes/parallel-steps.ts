// examples/recipes/parallel-steps.ts
import { defineWorkflow } from 'reeve';
import * as z from 'zod';
import { fraud, inventory, payment } from './contracts.ts';

const details = z.strictObject({
  customer: z.string(),
  amountCents: z.int(),
  sku: z.string(),
  token: z.string().meta({ sensitive: true }),
});

export const parallelSteps = defineWorkflow({ name: 'parallel-steps', version: 1, details })
  .step('screen', {
    agent: fraud,
    input: ({ orderId, details: { customer, amountCents } }) => ({
      ...{ orderId, customer, amountCents },
      currency: 'EUR',
    }),
  })
  .step('reserve', {
    agent: inventory,
    input: ({ orderId, details: { sku } }) => ({ orderId, lines: [{ sku, quantity: 1 }] }),
  })
  .step('charge', {
    agent: payment,
    after: ['screen', 'reserve'],
    input: ({ orderId, details: { amountCents, token }, outputs }) => ({
      orderId,
      // A discount for customers without signs of fraud.
      amountCents: outputs.screen.score === 0 ? amountCents - 100 : amountCents,
      currency: 'EUR',
      token,
    }),
  })
  .build();
