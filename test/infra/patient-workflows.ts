/** A workflow whose calls may take a minute, with heartbeats ten, and their undos as long. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const nothing = z.strictObject({});
const agent = (name: string) =>
  defineAgent({ name, input: nothing, output: nothing, undo: 'unneeded' });
const step = { completeWithin: 60_000, maxDuration: 600_000, input: () => ({}) };

export const workflows = [
  defineWorkflow({ name: 'parcel', version: 1, details: nothing })
    .step('charge', { agent: agent('payment'), ...step })
    .step('ship', { agent: agent('shipping'), ...step })
    .build(),
];
