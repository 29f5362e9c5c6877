/** What the worlds of a proof have come to, counted: a proof says nothing of what no world came to. */

/** What is counted of a version of a workflow, of a step, or of an agent. */
export type Sight =
  /** Of a version: its orders that were submitted, those that were stored, and how they ended. */
  | 'submitted'
  | 'stored'
  | 'Processed'
  | 'Undone'
  /** Of a version: orders that met another one with their singleton key. */
  | 'met'
  /** Of a step, as `shop@1/pay`: performs that succeeded. */
  | 'completed'
  /** Of an agent: its calls, and what its services did for them. */
  | 'perform'
  | 'undo'
  | 'effect'
  | 'taken-back';

/** See above. */
export interface Tally {
  /** Counts one more, or `times` more. */
  note(sight: Sight, of: string, times?: number): void;
  count(sight: Sight, of: string): number;
  /** Adds what another world came to. */
  add(other: Tally): void;
  /** All that was counted. */
  all(): Iterable<readonly [sight: Sight, of: string, times: number]>;
}

export function tally(): Tally {
  const counts = new Map<Sight, Map<string, number>>();
  const count = (sight: Sight, of: string) => counts.get(sight)?.get(of) ?? 0;
  function note(sight: Sight, of: string, times = 1): void {
    const own = counts.get(sight) ?? new Map<string, number>();
    counts.set(sight, own.set(of, count(sight, of) + times));
  }
  return {
    note,
    count,
    add(other) {
      for (const [sight, of, times] of other.all()) note(sight, of, times);
    },
    *all() {
      for (const [sight, own] of counts) for (const [of, times] of own) yield [sight, of, times];
    },
  };
}
