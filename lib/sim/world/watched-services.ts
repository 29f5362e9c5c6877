/** The services as agents call them, with a report of each call that begins. */
import type { AgentName, IdempotencyKey } from '#core/model/ids.ts';
import type { Machine } from './machine.ts';
import type { CountedCall, CountedServices } from './sim-services.ts';

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
export function watchedServices(
  services: CountedServices,
  began: (agent: AgentName, key: IdempotencyKey) => () => void,
): CountedServices {
  const running = new Set<Running>();

  async function watched<Value>(
    agent: AgentName,
    { machine, key, signal }: CountedCall,
    call: () => Promise<Value>,
  ): Promise<Value> {
    for (const one of running) {
      if (!one.machine.isAlive() || one.machine.isFrozen()) finish(one);
    }
    // Code that ignores its signal calls after the end of its attempt: no gate can know of such a call.
    const own = { machine, end: signal.aborted ? () => {} : began(agent, key) };
    running.add(own);
    const end = () => finish(own);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await call();
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  function finish(one: Running): void {
    one.end();
    running.delete(one);
  }

  return {
    count: (agent, call, work) => watched(agent, call, () => services.count(agent, call, work)),
    of(agent) {
      const { perform, undo } = services.of(agent);
      return {
        perform: (machine, key, signal, endpoint) =>
          watched(agent, { machine, key, signal }, () => perform(machine, key, signal, endpoint)),
        undo: (machine, keys, signal, endpoint) =>
          watched(agent, { machine, key: keys.performKey, signal }, () =>
            undo(machine, keys, signal, endpoint),
          ),
      };
    },
  };
}
