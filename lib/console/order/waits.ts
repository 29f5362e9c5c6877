/** What an order waits for, from its held steps and the circuits of the activity: agents, or earlier orders. */
import type { AgentActivity, Order, Step } from '#console/api/documents.ts';
import { longestWaits } from '#text/gate-text.ts';

export interface Wait {
  readonly what: string;
  /** ISO 8601, as the next one. */
  readonly since: string;
  /** When a call tests the service; null when none is planned or it is not known. */
  readonly probeAt: string | null;
}

interface Held {
  readonly steps: Readonly<Record<string, Pick<Step, 'agent' | 'held' | 'undoFirst'>>>;
  readonly turn?: Order['turn'];
}
interface Agent extends Pick<AgentActivity, 'name'> {
  readonly circuit: Pick<AgentActivity['circuit'], 'probeAt'>;
}

/** As {@link longestWaits}, with the probes of the agents. */
export function waitsOf({ steps, turn }: Held, agents: readonly Agent[]): Wait[] {
  const probeOf = (agent: string) =>
    agents.find(({ name }) => name === agent)?.circuit.probeAt ?? null;
  return longestWaits(Object.values(steps), turn?.behind ?? null).map(
    ({ text, agent, gate, since }) => ({
      ...{ what: text, since },
      probeAt: gate === 'circuit' ? probeOf(agent) : null,
    }),
  );
}
