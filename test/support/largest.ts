/** The largest orders that a definition allows: 64 steps with the largest outputs. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow, type WorkflowBuilder } from '#core/definition/workflow.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { limits } from '#core/model/limits.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';

const input = z.object({ bytes: z.int(), seen: z.json() });
export const filler = defineAgent({ name: 'filler', input, output: z.string(), undo: 'offered' });

/** Returns this many bytes of JSON. */
export const fills: AgentImplementation<z.infer<typeof input>, string> = {
  contract: filler,
  perform: async ({ bytes }) => 'x'.repeat(bytes - 2),
  undo: async () => {},
};

const details = z.object({ note: z.string() });
type Builder = WorkflowBuilder<z.infer<typeof details>, Record<string, string>>;
const names = Array.from({ length: limits.stepsMax }, (_, at) => `step-${at + 1}`);

/** Each step but the first follows the steps that `before` returns, with all their outputs as input. */
function largest(name: string, before: (at: number) => readonly string[]): WorkflowDefinition {
  let builder: Builder = defineWorkflow({ name, version: 1, details });
  for (const [at, step] of names.entries()) {
    builder = builder.step(step, {
      agent: filler,
      after: before(at),
      completeWithin: 60_000,
      input: ({ details: own, outputs }) => ({
        bytes: bytesOf(at),
        seen: { details: own, outputs },
      }),
    });
  }
  const built = builder.build();
  const bytesOf = (at: number) => built.steps[at]?.outputBytesMax ?? 0;
  return built;
}

/** 63 concurrent steps, and one after them. */
export const join = largest('join', (at) => names.slice(0, at === names.length - 1 ? at : 0));
/** All steps in sequence. */
export const chain = largest('chain', (at) => names.slice(Math.max(0, at - 1), at));

/** The largest allowed details. */
export const largestDetails = { note: 'd'.repeat(limits.detailsBytesMax - 500) };
