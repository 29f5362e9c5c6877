/** Workflows whose undos have deadlines of their own: one takes longer than its call, the other one has less time. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const nothing = z.strictObject({});
const agent = (name: string) =>
  defineAgent({ name, input: nothing, output: nothing, undo: 'offered' });
const input = () => ({});

export const workflows = [
  defineWorkflow({ name: 'parcel', version: 1, details: nothing })
    .step('charge', {
      ...{ agent: agent('payment'), completeWithin: 60_000, input },
      undo: { completeWithin: 120_000, maxDuration: 400_000 },
    })
    .step('ship', {
      ...{ agent: agent('shipping'), completeWithin: 60_000, input },
      undo: { completeWithin: 5_000 },
    })
    .build(),
];
