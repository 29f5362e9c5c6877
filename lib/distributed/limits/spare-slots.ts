/** Slots of a rate that an instance has leased, and that no call has yet. */
import type { Clock } from '#ports/clock.ts';

/** When a call may begin, ms since the epoch. */
export interface Slot {
  readonly startAt: number;
  readonly startBy: number;
}

/** See above. */
export interface SpareSlots {
  add(slots: readonly Slot[]): void;
  /** The earliest one that a call can begin in between these instants, and that a request sent now reaches in time. */
  take(from: number, by: number): Slot | undefined;
  /** The instant of the one that {@link SpareSlots.take} would give; undefined: none. */
  next(from: number): number | undefined;
}

/** A request is on its way for at most so long, nearly always, ms. */
export const travelMs = 100;

/**
 * A slot of a slow rate lasts for long: while it does, it is not over, and the next one is far. Those of quick rates are over when they
 * begin, because another limit of the call would hardly have a slot in what is left.
 */
const lastsFromMs = 1_000;
const lastOf = ({ startAt, startBy }: Slot) =>
  startBy - startAt >= lastsFromMs ? startBy : startAt;

/** None at first. */
export function spareSlots(clock: Pick<Clock, 'now'>): SpareSlots {
  let own: readonly Slot[] = [];
  function find(from: number): Slot | undefined {
    const least = clock.now() + travelMs;
    own = own.filter((slot) => lastOf(slot) >= least);
    return own.find((slot) => lastOf(slot) >= from);
  }
  return {
    add(slots) {
      if (slots.length > 0) own = [...own, ...slots].toSorted((a, b) => a.startAt - b.startAt);
    },
    take(from, by) {
      const found = find(from);
      if (found === undefined || found.startAt > by) return undefined;
      own = own.filter((slot) => slot !== found);
      return { ...found, startAt: Math.max(from, found.startAt) };
    },
    next(from) {
      const found = find(from);
      return found && Math.max(from, found.startAt);
    },
  };
}
