/** Agents with limits of each kind: a rate, calls at once, and those of a pool and of its member. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const nothing = z.strictObject({});
const common = { input: nothing, output: nothing, undo: 'unneeded' } as const;
const rate = { count: 10, per: 1_000 };
const tenantOf = ({ tenant }: { readonly tenant: string | null }) => tenant;

const payment = defineAgent({
  ...{ name: 'payment', ...common },
  limits: { 'per-tenant': { key: tenantOf, rate, atOnce: 2 }, whole: { atOnce: 9 } },
});
const shipping = defineAgent({ name: 'shipping', ...common, limits: { whole: { atOnce: 3 } } });
const fraud = defineAgent({ name: 'fraud', ...common });
const bank = definePool({
  ...{ name: 'bank', ...common, limits: { whole: { rate } } },
  members: { east: { limits: { own: { rate } } }, west: {} },
});

const step = <Agent>(agent: Agent) => ({ agent, completeWithin: 5_000, input: () => ({}) });

export const workflows = [
  defineWorkflow({ name: 'limited', version: 1, details: nothing })
    .step('pay', step(payment))
    .step('ship', step(shipping))
    .step('check', step(fraud))
    .step('transfer', step(bank))
    .build(),
];
