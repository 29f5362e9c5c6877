/** The code of the shipped workflow's agents: calls to their services, nothing more. */
import type { ZodType } from 'zod';
import type { AgentContract } from '#core/definition/agent.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type AgentImplementation, TransientFault } from '#ports/agent-implementation.ts';
import { httpService } from './http-service.ts';

/** `url`: where its service is, without a slash at the end. */
export function serviceAgent<Input extends JsonValue, Output extends JsonValue>(
  contract: AgentContract<Input, Output>,
  url: string,
  fetch: typeof globalThis.fetch,
): AgentImplementation<Input, Output> {
  const service = httpService(url, fetch);
  return {
    contract,
    perform: async (input, call) =>
      answerOf(contract.output, await service.post('/perform', input, call)),
    ...(contract.undo === 'offered' && {
      undo: async ({ performKey }, call) => {
        await service.post('/undo', { performKey }, call);
      },
    }),
  };
}

/** A garbled answer says nothing of the effect: asked again under its key, the service repeats it. */
function answerOf<Output>(schema: ZodType<Output>, answer: unknown): Output {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new TransientFault('answer-garbled', 'The service answered what its contract excludes.', {
    cause: parsed.error,
  });
}
