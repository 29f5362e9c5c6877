/** The implementations of the shipped workflow's agents: each only calls its service. */
import type { ZodType } from 'zod';
import type { AgentContract } from '#core/definition/agent.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type AgentImplementation, TransientFault } from '#ports/agent-implementation.ts';
import { httpService } from './http-service.ts';

/** @param url the base URL of the service, without a trailing slash */
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

/** A malformed answer is transient: a retry with the same key returns the stored answer. */
function answerOf<Output>(schema: ZodType<Output>, answer: unknown): Output {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new TransientFault('answer-garbled', 'The service answered what its contract excludes.', {
    cause: parsed.error,
  });
}
