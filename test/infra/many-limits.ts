/** As many agents as docs/aws.md promises, each with as many limits as an agent may have, all names of the maximum length. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { limits } from '#core/model/limits.ts';

const nothing = z.strictObject({});
const longName = (what: string, at: number) => `${what}${at}-`.padEnd(40, 'x');
const limit = { key: () => 'all', rate: { count: 10, per: 1_000 }, atOnce: 2 };

const agents = Array.from({ length: 12 }, (_, at) =>
  defineAgent({
    ...{ name: longName('agent', at), input: nothing, output: nothing, undo: 'unneeded' },
    limits: Object.fromEntries(
      Array.from({ length: limits.agentLimitsMax }, (_, of) => [longName('limit', of), limit]),
    ),
  }),
);

export const workflows = agents.map((agent, at) =>
  defineWorkflow({ name: `limited-${at}`, version: 1, details: nothing })
    .step('only', { agent, completeWithin: 5_000, input: () => ({}) })
    .build(),
);
