/** What an order waits for, from its held steps and the circuits of the activity: agents, or earlier orders. */
import type { AgentActivity, Order, Step } from '#console/api/documents.ts';
import { isTurn, turnText, waitText } from '#text/gate-text.ts';

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

/** One for each, with the longest wait for it. */
export function waitsOf({ steps, turn }: Held, agents: readonly Agent[]): Wait[] {
  const waits = new Map<string, Wait>();
  for (const { agent, held, undoFirst } of Object.values(steps)) {
    if (held === null) continue;
    const { gate, since } = held;
    const of = isTurn(gate) ? turnText(turn?.behind ?? null) : agent;
    const known = waits.get(of);
    if (known !== undefined && known.since <= since) continue;
    const circuit = agents.find(({ name }) => name === agent)?.circuit;
    const probeAt = gate === 'circuit' ? (circuit?.probeAt ?? null) : null;
    const what = isTurn(gate) ? of : waitText({ agent, gate, undoFirst: undoFirst === true });
    waits.set(of, { what, since, probeAt });
  }
  return [...waits.values()];
}
