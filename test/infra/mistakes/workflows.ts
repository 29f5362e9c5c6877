/** A workflow with an agent, and a pool with two. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const nothing = z.strictObject({});
const common = { input: nothing, output: nothing, undo: 'unneeded' } as const;
const completeWithin = 5_000;
const input = () => ({});

export const payment = defineAgent({ name: 'payment', ...common });
export const shipping = defineAgent({ name: 'shipping', ...common });
export const bank = definePool({ name: 'bank', ...common, members: { east: {}, west: {} } });

export const workflows = [
  defineWorkflow({ name: 'sale', version: 2, details: nothing })
    .step('charge', { agent: payment, completeWithin, input })
    .step('ship', { agent: shipping, completeWithin, input })
    .step('transfer', { agent: bank, completeWithin, input })
    .build(),
];
