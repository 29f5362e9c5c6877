/** The workflow of an application whose stack has a Reeve in it. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

export const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ signedWith: z.string() }),
  undo: 'unneeded',
});

export const packing = defineAgent({
  name: 'packing',
  input: z.object({ signedWith: z.string() }),
  output: z.object({ parcel: z.string() }),
  undo: 'unneeded',
});

const sale = defineWorkflow({
  name: 'sale',
  version: 1,
  details: z.strictObject({ cents: z.int() }),
})
  .step('charge', {
    agent: payment,
    completeWithin: 20_000,
    retries: 3,
    input: ({ details }) => ({ cents: details.cents }),
  })
  .step('pack', {
    agent: packing,
    after: ['charge'],
    completeWithin: 20_000,
    retries: 3,
    input: ({ outputs }) => ({ signedWith: outputs.charge.signedWith }),
  })
  .build();

export const workflows = [sale];
