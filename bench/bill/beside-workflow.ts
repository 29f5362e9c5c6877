/** The order of the bill without limits, beside a workflow that has some. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { threeSteps } from './workflow.ts';

const nothing = z.strictObject({});
const parcel = defineAgent({
  ...{ name: 'parcel', input: nothing, output: nothing, undo: 'unneeded' },
  limits: { whole: { rate: { count: 5, per: 1_000 }, atOnce: 2 } },
});

export const workflows = [
  threeSteps(),
  defineWorkflow({ name: 'limited', version: 1, details: nothing })
    .step('send', { agent: parcel, completeWithin: 5_000, input: () => ({}) })
    .build(),
];
