/** What is frequent in a world, so that worlds come to what mere chance seldom reaches. */
import type { AgentName } from '#core/model/ids.ts';
import type { Chance } from '#sim/world/chance.ts';

export interface Theme {
  /** The agent whose service alone is slow or silent; null: each may be. */
  readonly slow: AgentName | null;
  /** The agent whose service refuses every other request; null: none. */
  readonly refuses: AgentName | null;
  /** The network keeps copies of requests. */
  readonly repeats: boolean;
  /** Every other request of an undo fails, and passes later: an undo must not end as if it had succeeded. */
  readonly undosFail: boolean;
}

/** Nothing is frequent. */
export const plainTheme: Theme = { slow: null, refuses: null, repeats: false, undosFail: false };

/**
 * Where every service is slow, an order seldom comes as far as its last steps; and one that fails late has the most to undo.
 *
 * @param agents in the order of their steps
 */
export function themeOf(chance: Chance, agents: readonly AgentName[]): Theme {
  const one = (some: readonly AgentName[]) => some[chance.between(0, some.length - 1)] ?? null;
  const last = agents.slice(-2);
  const slow = chance.hits(0.5) ? null : one(agents);
  const undosFail = chance.hits(0.4);
  const isRefused = undosFail || chance.hits(0.7);
  return {
    slow,
    refuses: isRefused ? one(chance.hits(0.5) ? last : agents) : null,
    repeats: chance.hits(0.5),
    undosFail,
  };
}
