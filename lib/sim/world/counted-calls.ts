/** The calls of services, of which each process makes a limited number at once. */
import type { AgentName, IdempotencyKey } from '#core/model/ids.ts';
import type { Machine } from './machine.ts';
import type { ServiceCapacity } from './service-capacity.ts';

/** A call of the service of an agent: who makes it, the key of its perform, and what ends it. */
export interface CountedCall {
  readonly machine: Machine;
  readonly key: IdempotencyKey;
  readonly signal: AbortSignal;
}

/** Does something that counts as one call of the service of an agent. */
export type Count = <Value>(
  agent: AgentName,
  call: CountedCall,
  work: () => Promise<Value>,
) => Promise<Value>;

/** See above. */
export const countedCalls =
  (capacity: ServiceCapacity): Count =>
  async (agent, { machine, signal }, work) => {
    // Code that ignores its signal calls after the end of its attempt: no gate can know of such a call.
    const end = signal.aborted ? () => {} : capacity.begin(agent, machine);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  };
