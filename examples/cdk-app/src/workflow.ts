import { defineAgent, defineWorkflow } from 'reeve';
import * as z from 'zod';

export const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});

const shop = defineWorkflow({
  name: 'shop',
  version: 1,
  details: z.object({ cents: z.int().min(1) }),
})
  .step('charge', { agent: payment, input: ({ details: { cents } }) => ({ cents }) })
  .build();

export const workflows = [shop];
