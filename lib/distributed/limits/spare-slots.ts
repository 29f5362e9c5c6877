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
  /** The earliest one between these instants, which a request sent now reaches in time. */
  take(from: number, by: number): Slot | undefined;
  /** The instant of the one that {@link SpareSlots.take} would give; undefined: none. */
  next(from: number): number | undefined;
}

/** A request is on its way for at most so long, nearly always, ms. */
export const travelMs = 100;

/** None at first. */
export function spareSlots(clock: Pick<Clock, 'now'>): SpareSlots {
  let own: readonly Slot[] = [];
  function find(from: number): Slot | undefined {
    const least = clock.now() + travelMs;
    own = own.filter(({ startAt }) => startAt >= least);
    return own.find(({ startAt }) => startAt >= from);
  }
  return {
    add(slots) {
      if (slots.length > 0) own = [...own, ...slots].toSorted((a, b) => a.startAt - b.startAt);
    },
    take(from, by) {
      const found = find(from);
      if (found === undefined || found.startAt > by) return undefined;
      own = own.filter((slot) => slot !== found);
      return found;
    },
    next: (from) => find(from)?.startAt,
  };
}
