/** The calls of services, of which each process makes a limited number at once, and a report of each one that begins. */
import type { AgentName, IdempotencyKey } from '#core/model/ids.ts';
import type { Machine } from './machine.ts';
import type { ServiceCapacity } from './service-capacity.ts';

/** A call of the service of an agent: who makes it, the key of its perform, and what ends it. */
export interface CountedCall {
  readonly machine: Machine;
  readonly key: IdempotencyKey;
  readonly attempt: number;
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

/** A call that has begun. */
interface Running {
  readonly machine: Machine;
  readonly end: () => void;
}

/**
 * A machine that is gone makes no calls. One that is frozen cannot end its calls at their complete-by, when their room is free
 * (docs/design.md, R21): they are not counted any more.
 *
 * @param began called with each call that begins; what it returns is called when the call has ended, or is not counted
 */
export function watchedCalls(
  count: Count,
  began: (agent: AgentName, call: Pick<CountedCall, 'key' | 'attempt'>) => () => void,
): Count {
  const running = new Set<Running>();

  function finish(one: Running): void {
    one.end();
    running.delete(one);
  }

  return async (agent, call, work) => {
    const { machine, signal } = call;
    for (const one of running) {
      if (!one.machine.isAlive() || one.machine.isFrozen()) finish(one);
    }
    // Code that ignores its signal calls after the end of its attempt: no gate can know of such a call.
    const own = { machine, end: signal.aborted ? () => {} : began(agent, call) };
    running.add(own);
    const end = () => finish(own);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await count(agent, call, work);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  };
}
