/** What the remote services can take: they count the calls of each process at once, independently of its gates. */
import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Machine } from './machine.ts';

export interface ServiceCapacity {
  /**
   * A call begins; the returned function ends it, and may be called again.
   *
   * @throws {TransientFault} when the process has as many calls as the service takes
   */
  begin(agent: AgentName, machine: Machine): () => void;
}

/** R21: no process has more than `callsMax` calls of one agent in flight. */
export function serviceCapacity(callsMax: number, breach: Breach): ServiceCapacity {
  const calls = new WeakMap<Machine, Map<AgentName, number>>();

  function callsOf(machine: Machine): Map<AgentName, number> {
    const known = calls.get(machine) ?? new Map<AgentName, number>();
    calls.set(machine, known);
    return known;
  }

  return {
    begin(agent, machine) {
      const own = callsOf(machine);
      const add = (by: number) => {
        const count = (own.get(agent) ?? 0) + by;
        own.set(agent, count);
        return count;
      };
      let isOpen = true;
      const end = () => {
        if (isOpen) add(-1);
        isOpen = false;
      };
      if (add(1) <= callsMax) return end;
      end();
      if (machine.isAlive()) {
        breach('R21', `${machine.name} makes more than ${callsMax} calls of ${agent} at once`);
      }
      throw new TransientFault('overloaded', 'The simulation: too many calls at once.');
    },
  };
}
