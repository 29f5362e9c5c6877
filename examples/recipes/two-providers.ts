// examples/recipes/two-providers.ts
import { type AgentImplementation, definePool, defineWorkflow, httpService } from 'reeve';
import * as z from 'zod';

type Input = { token: string; amountCents: number };
type Output = { chargeId: string };

const output = z.object({ chargeId: z.string() });

const banks = definePool<Input, Output, 'north' | 'south'>({
  name: 'bank',
  input: z.object({ token: z.string(), amountCents: z.int() }),
  output,
  undo: 'offered',
  members: { north: { weight: 3 }, south: {} },
});

export const twoProviders = defineWorkflow({
  name: 'two-providers',
  version: 1,
  details: z.strictObject({ token: z.string(), amountCents: z.int() }),
})
  .step('charge', { agent: banks, completeWithin: 5_000, input: ({ details }) => details })
  .build();

export function bankAgents(
  fetch: typeof globalThis.fetch,
): readonly AgentImplementation<Input, Output>[] {
  return (['north', 'south'] as const).map((name) => {
    const service = httpService(`https://${name}.bank.example`, fetch);
    return {
      contract: banks.member(name),
      async perform(input, call) {
        return output.parse(await service.post('/charges', input, call));
      },
      async undo({ performKey }, call) {
        await service.post('/refunds', { performKey }, call);
      },
    };
  });
}
