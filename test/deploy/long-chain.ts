/** A workflow of forty steps in sequence: more than Lambda's loop detection allows by default. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow, type WorkflowBuilder } from '#core/definition/workflow.ts';
import { join } from '../support/largest.ts';

export const stepCount = 40;

export const echo = defineAgent({
  name: 'echo',
  input: z.object({ number: z.int() }),
  output: z.object({ number: z.int() }),
  undo: 'unneeded',
});

const names = Array.from({ length: stepCount }, (_, at) => `step-${at + 1}`);

type Chain = WorkflowBuilder<Record<string, never>, Record<string, { number: number }>>;

let chain: Chain = defineWorkflow({ name: 'long-chain', version: 1, details: z.strictObject({}) });
for (const [at, name] of names.entries()) {
  chain = chain.step(name, {
    agent: echo,
    after: names.slice(Math.max(0, at - 1), at),
    completeWithin: 20_000,
    retries: 3,
    input: () => ({ number: at + 1 }),
  });
}

/** A workflow whose steps except the last run at once, each with its largest output. */
export const workflows = [chain.build(), join];
