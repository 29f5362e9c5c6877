/** The agents that an order waits for, from its held steps and the circuits of the activity. */
import type { AgentActivity, Step } from '#console/api/documents.ts';
import { gateText } from '#text/gate-text.ts';

export interface Wait {
  readonly agent: string;
  readonly reason: string;
  /** Whether it waits to be undone, before it starts anew. */
  readonly undoFirst: boolean;
  /** ISO 8601, as the next one. */
  readonly since: string;
  /** When a call tests the service; null when none is planned or it is not known. */
  readonly probeAt: string | null;
}

interface Held {
  readonly steps: Readonly<Record<string, Pick<Step, 'agent' | 'held' | 'undoFirst'>>>;
}
interface Agent extends Pick<AgentActivity, 'name'> {
  readonly circuit: Pick<AgentActivity['circuit'], 'probeAt'>;
}

/** One for each agent, with the longest wait for it. */
export function waitsOf({ steps }: Held, agents: readonly Agent[]): Wait[] {
  const waits = new Map<string, Wait>();
  for (const { agent, held, undoFirst } of Object.values(steps)) {
    if (held === null) continue;
    const { gate, since } = held;
    const known = waits.get(agent);
    if (known !== undefined && known.since <= since) continue;
    const circuit = agents.find(({ name }) => name === agent)?.circuit;
    const probeAt = gate === 'circuit' ? (circuit?.probeAt ?? null) : null;
    waits.set(agent, {
      agent,
      reason: gateText(gate),
      undoFirst: undoFirst === true,
      since,
      probeAt,
    });
  }
  return [...waits.values()];
}
