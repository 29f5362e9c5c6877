// examples/recipes/limits.ts
import { type AgentImplementation, defineAgent, defineWorkflow, httpService } from 'reeve';
import * as z from 'zod';

const input = z.strictObject({ account: z.string(), text: z.string() });
const output = z.strictObject({ messageId: z.string() });

const messages = defineAgent({
  name: 'messages',
  input,
  output,
  undo: 'unneeded',
  limits: {
    // Two messages to one account would arrive in any order.
    'per-account': { key: (call) => call.input.account, atOnce: 1 },
    'per-tenant': { key: ({ tenant }) => tenant, rate: { count: 5, per: 1_000, burst: 5 } },
    // What the contract with the provider allows.
    whole: { rate: { count: 50, per: 1_000 } },
  },
});

export const limited = defineWorkflow({ name: 'limited', version: 1, details: input })
  .step('send', { agent: messages, completeWithin: 5_000, input: ({ details }) => details })
  .build();

export function messageAgent(fetch: typeof globalThis.fetch): AgentImplementation {
  const service = httpService('https://messages.example', fetch);
  return {
    contract: messages,
    perform: async (given, call) => output.parse(await service.post('/messages', given, call)),
  };
}
