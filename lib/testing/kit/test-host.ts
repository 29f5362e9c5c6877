/** What the agents of a test need of the Reeve that runs them. */
import type { AgentImplementation } from '#ports/agent-implementation.ts';

export interface TestHost {
  readonly now: () => number;
  /** Runs work in so many ms of virtual time, also after the end of the process. */
  readonly after: (ms: number, work: () => void) => void;
  /** Ends the process of the Reeve, as `kill` does. */
  crash(): void;
}

/** The agents that were made by `scriptedAgent`, with what connects them to a host. */
const bindings = new WeakMap<object, (host: TestHost) => void>();

export const bindable = (agent: object, bind: (host: TestHost) => void): void => {
  bindings.set(agent, bind);
};

/** Connects the agents of a test to the Reeve that runs them. */
export function bindAll(agents: readonly AgentImplementation[], host: TestHost): void {
  for (const agent of agents) bindings.get(agent)?.(host);
}
