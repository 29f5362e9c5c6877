// examples/recipes/several-endpoints.ts
import { type AgentImplementation, defineAgent, defineWorkflow, httpService } from 'reeve';
import * as z from 'zod';

type Input = { country: string; amountCents: number };
type Output = { taxCents: number };

const output = z.object({ taxCents: z.int() });

const tax = defineAgent<Input, Output>({
  name: 'tax',
  input: z.object({ country: z.string(), amountCents: z.int() }),
  output,
  undo: 'unneeded',
});

export const severalEndpoints = defineWorkflow({
  name: 'several-endpoints',
  version: 1,
  details: z.strictObject({ country: z.string(), amountCents: z.int() }),
})
  .step('tax', { agent: tax, completeWithin: 5_000, input: ({ details }) => details })
  .build();

export function taxAgent(fetch: typeof globalThis.fetch): AgentImplementation<Input, Output> {
  return {
    contract: tax,
    endpoints: [{ url: 'https://eu.tax.example', weight: 2 }, { url: 'https://us.tax.example' }],
    async perform(input, call) {
      return output.parse(await httpService(call.endpoint, fetch).post('/tax', input, call));
    },
  };
}
