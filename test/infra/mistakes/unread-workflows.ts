/** A workflow whose schema zod cannot write as JSON Schema: two parts have one id. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const part = () => z.string().meta({ id: 'part' });

export const workflows = [
  defineWorkflow({ name: 'sale', version: 1, details: z.object({ a: part(), b: part() }) })
    .step('ship', {
      agent: defineAgent({
        name: 'shipping',
        input: z.object({}),
        output: z.object({}),
        undo: 'unneeded',
      }),
      input: () => ({}),
    })
    .build(),
];
