/** Three workflows of one step, each with an agent of its own: a slow one, one that fails, and one that is silent. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const parcel = z.strictObject({ number: z.int() });

const contract = (name: string) =>
  defineAgent({ name, input: parcel, output: parcel, undo: 'offered' });

/** It makes a limited number of calls at once. */
export const packing = contract('packing');
export const billing = contract('billing');
/** It runs elsewhere. */
export const courier = contract('courier');

/** Longer than a call takes by what the emulator may take for a reply on a busy machine, ms. */
export const packWithinMs = 20_000;

const workflowOf = (
  name: string,
  agent: ReturnType<typeof contract>,
  completeWithin: number = packWithinMs,
) =>
  defineWorkflow({ name, version: 1, details: parcel })
    .step('call', { agent, completeWithin, retries: 1, input: ({ details }) => details })
    .build();

export const workflows = [
  workflowOf('pack', packing),
  workflowOf('bill', billing),
  workflowOf('deliver', courier, 5_000),
];
