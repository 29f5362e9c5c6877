/** The shipped workflow, two whose steps no agent answers, so that the test replies when it chooses, and one with limits. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { orderFulfilment } from '#workflows/order-fulfilment.ts';

const manual = defineAgent({
  name: 'manual',
  input: z.strictObject({}),
  output: z.strictObject({}),
  undo: 'unneeded',
});

const twoBranches = defineWorkflow({
  name: 'two-branches',
  version: 1,
  details: z.strictObject({}),
})
  .step('quick', {
    agent: manual,
    completeWithin: 1_000,
    retries: 0,
    // Long enough for the test to answer the other step while the order waits.
    coolDown: { after: 600_000, times: 1 },
    input: () => ({}),
  })
  .step('slow', { agent: manual, completeWithin: 600_000, input: () => ({}) })
  .build();

const oneAtATime = defineWorkflow({
  name: 'one-at-a-time',
  version: 1,
  details: z.strictObject({ cart: z.string() }),
  singleton: { key: ({ details: { cart } }) => cart, else: 'wait' },
})
  .step('work', { agent: manual, completeWithin: 600_000, input: () => ({}) })
  .build();

/** Its calls count in a rate and in calls at once. */
export const counted = defineAgent({
  name: 'counted',
  input: z.strictObject({}),
  output: z.strictObject({}),
  undo: 'unneeded',
  limits: { whole: { rate: { count: 10, per: 1_000 }, atOnce: 5 } },
});

const limited = defineWorkflow({ name: 'limited', version: 1, details: z.strictObject({}) })
  .step('call', { agent: counted, completeWithin: 30_000, input: () => ({}) })
  .build();

export const workflows = [orderFulfilment, twoBranches, oneAtATime, limited];
