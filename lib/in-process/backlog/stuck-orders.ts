/**
 * The orders with a held step that can begin only when an agent is available again, or an operator lets it have new calls again. They
 * wait, but say nothing of the rate at which others are worked off, such as those that another member of the pool gets.
 */
import type { ProcessRecord } from '#core/model/record.ts';
import type { OfferedOrder } from '#ports/admission.ts';

/** Options of {@link stuckOrders}. */
export interface StuckOrdersOptions {
  /** The agents by the names under which steps wait for several of them. */
  readonly pools: ReadonlyMap<string, readonly string[]>;
  /** So many orders like this one are stuck now; with a negative number, they are no longer. */
  readonly onChange: (order: OfferedOrder, by: number) => void;
}

/** See {@link stuckOrders}. */
export interface StuckOrders {
  /** An order with held steps waits, or waits no more. */
  count(record: ProcessRecord, by: 1 | -1): void;
  isAvailable(agent: string): boolean;
  set(agent: string, isAvailable: boolean): void;
}

/** The orders that wait for the same agents. */
interface Tally {
  /** The names under which their steps wait; null: for an operator. */
  readonly names: ReadonlySet<string | null>;
  isStuck: boolean;
  readonly byFlow: Map<string, { readonly order: OfferedOrder; count: number }>;
}

/** All agents are available at first. */
export function stuckOrders({ pools, onChange }: StuckOrdersOptions): StuckOrders {
  const unavailable = new Set<string>();
  const tallies = new Map<string, Tally>();

  const isAvailable = (name: string): boolean =>
    pools.get(name)?.some(isAvailable) ?? !unavailable.has(name);
  const isStuck = (names: Tally['names']) =>
    ![...names].every((name) => name !== null && isAvailable(name));

  function tallyOf(names: Tally['names']): Tally {
    const key = [...names].toSorted().join(' ');
    const known = tallies.get(key);
    if (known !== undefined) return known;
    const made = { names, isStuck: isStuck(names), byFlow: new Map() };
    tallies.set(key, made);
    return made;
  }

  return {
    count({ workflow, priority, tenant, steps }, by) {
      const names = steps.flatMap(({ agent, progress }) => {
        if (progress.state !== 'Held') return [];
        return [progress.gate === 'drained' ? null : agent];
      });
      const tally = tallyOf(new Set(names));
      const flow = JSON.stringify([workflow, priority, tenant]);
      const known = tally.byFlow.get(flow) ?? { order: { workflow, priority, tenant }, count: 0 };
      known.count += by;
      if (known.count === 0) tally.byFlow.delete(flow);
      else tally.byFlow.set(flow, known);
      if (tally.isStuck) onChange(known.order, by);
    },
    isAvailable,
    set(agent, isNow) {
      if (isNow) unavailable.delete(agent);
      else unavailable.add(agent);
      for (const tally of tallies.values()) {
        const was = tally.isStuck;
        tally.isStuck = isStuck(tally.names);
        if (was === tally.isStuck) continue;
        for (const { order, count } of tally.byFlow.values()) onChange(order, was ? -count : count);
      }
    },
  };
}
