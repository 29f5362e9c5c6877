// examples/recipes/optional-step.ts
import { defineWorkflow } from 'reeve';
import * as z from 'zod';
import { fraud, payment } from './contracts.ts';

const details = z.strictObject({
  customer: z.string(),
  amountCents: z.int(),
  token: z.string().meta({ sensitive: true }),
});

/** Amounts below 100 euros are not screened. */
export const optionalStep = defineWorkflow({ name: 'optional-step', version: 1, details })
  .step('screen', {
    agent: fraud,
    when: ({ details: { amountCents } }) => amountCents >= 10_000,
    input: ({ orderId, details: { customer, amountCents } }) => ({
      ...{ orderId, customer, amountCents },
      currency: 'EUR',
    }),
  })
  .step('charge', {
    agent: payment,
    after: ['screen'],
    // The score is missing for small amounts. Orders with a high score are not charged.
    when: ({ outputs }) => (outputs.screen?.score ?? 0) < 0.9,
    input: ({ orderId, details: { amountCents, token } }) => ({
      ...{ orderId, amountCents, token },
      currency: 'EUR',
    }),
  })
  .build();
