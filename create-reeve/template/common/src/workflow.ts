import { defineAgent, defineWorkflow } from 'reeve';
import * as z from 'zod';

export const stock = defineAgent({
  name: 'stock',
  input: z.object({ article: z.string() }),
  output: z.object({ shelf: z.string() }),
  undo: 'offered',
});

export const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});

/** Reserves an article, then charges the card. When the card is declined, the article is released. */
export const shop = defineWorkflow({
  name: 'shop',
  version: 1,
  details: z.object({ article: z.string().min(1), cents: z.int().min(1) }),
})
  .step('reserve', { agent: stock, input: ({ details: { article } }) => ({ article }) })
  .step('charge', {
    agent: payment,
    after: ['reserve'],
    completeWithin: 10_000,
    input: ({ details: { cents } }) => ({ cents }),
  })
  .build();

/** What a deployment and `reeve dev` run. */
export const workflows = [shop];
