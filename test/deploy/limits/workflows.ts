/** Two workflows of one step, each with an agent of its own: one has a rate, and one a number of calls at once for each tenant. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const job = z.strictObject({ number: z.int(), tenant: z.string() });
const common = { input: job, output: job, undo: 'unneeded' } as const;

/** Calls per second. */
export const perSecond = 20;
export const paced = defineAgent({
  ...{ name: 'paced', ...common },
  limits: { whole: { rate: { count: perSecond, per: 1_000 } } },
});

/** Calls at once for each tenant. */
export const atOnce = 3;
export const shared = defineAgent({
  ...{ name: 'shared', ...common },
  limits: { 'per-tenant': { key: ({ tenant }) => tenant, atOnce } },
});

const workflowOf = (name: string, agent: typeof paced | typeof shared) =>
  defineWorkflow({ name, version: 1, details: job })
    .step('call', {
      ...{ agent, completeWithin: 20_000, retries: 1 },
      input: ({ details }) => details,
    })
    .build();

export const workflows = [workflowOf('pace', paced), workflowOf('share', shared)];
