/** What the agents of a test need of the Reeve that runs them. */
import { isObject } from '#core/model/json.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';

/** The Reeve of a test. An agent may be given to several at the same time: each has a clock and a process of its own. */
export interface TestHost {
  readonly now: () => number;
  /** Runs work in so many ms of virtual time, also after the end of the process. */
  readonly after: (ms: number, work: () => void) => void;
  /** Ends the process of the Reeve, as `kill` does. */
  crash(): void;
}

/** Follows which Reeves run an agent. */
export interface HostListener {
  join(host: TestHost): void;
  leave(host: TestHost): void;
}

/** The agents that were made by `scriptedAgent`. */
const listeners = new WeakMap<object, HostListener>();
const callHosts = new WeakMap<Call, TestHost>();

export const listenToHosts = (agent: object, listener: HostListener): void => {
  listeners.set(agent, listener);
};

/** The Reeve that makes the call; `undefined` for a call by the test itself. */
export const hostOf = (call: Call): TestHost | undefined => callHosts.get(call);

/** The agents of one Reeve. */
export interface HostedAgents {
  /** The same code, whose calls know their host. */
  readonly agents: readonly AgentImplementation[];
  /** Call when the Reeve is no longer used. */
  leave(): void;
}

export function hosted(agents: readonly AgentImplementation[], host: TestHost): HostedAgents {
  // The start of Reeve refuses it, with a sentence.
  if (!Array.isArray(agents)) return { agents, leave() {} };
  for (const agent of agents) listeners.get(agent)?.join(host);
  return {
    agents: agents.map((agent) => withHost(agent, host)),
    leave() {
      for (const agent of agents) listeners.get(agent)?.leave(host);
    },
  };
}

/** Looks `perform` and `undo` up at each call, because a test may replace them meanwhile. What is no agent is refused by the start of Reeve. */
function withHost(agent: AgentImplementation, host: TestHost): AgentImplementation {
  if (!isObject(agent)) return agent;
  return new Proxy(agent, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      // A proxy has to return the value of a frozen object itself.
      const isFixed = Reflect.getOwnPropertyDescriptor(target, name)?.configurable === false;
      if ((name !== 'perform' && name !== 'undo') || typeof value !== 'function' || isFixed)
        return value;
      return (given: unknown, call: Call): unknown => {
        callHosts.set(call, host);
        return Reflect.apply(value, target, [given, call]);
      };
    },
  });
}
