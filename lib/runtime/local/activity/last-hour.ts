/** A ring of sixty slots, one per minute: the last hour in bounded memory. */

const minuteMs = 60_000;
const slots = 60;

/** Slots by minute. */
export interface LastHour<Slot> {
  /** The slot of the current minute. */
  now(nowMs: number): Slot;
  /** The slots of the last sixty minutes, oldest first; `startAt`: the start of the minute, ms since the epoch. */
  all(nowMs: number): readonly { readonly startAt: number; readonly slot: Slot }[];
}

/** @param empty makes the slot of a minute in which nothing happened */
export function lastHour<Slot>(empty: () => Slot): LastHour<Slot> {
  const ring = Array.from({ length: slots }, () => ({ minute: -1, slot: empty() }));
  const of = (minute: number) => {
    const kept = ring[minute % slots];
    return kept?.minute === minute ? kept.slot : undefined;
  };
  return {
    now(nowMs) {
      const minute = Math.floor(nowMs / minuteMs);
      const kept = of(minute);
      if (kept !== undefined) return kept;
      const slot = empty();
      ring[minute % slots] = { minute, slot };
      return slot;
    },
    all(nowMs) {
      const last = Math.floor(nowMs / minuteMs);
      return Array.from({ length: slots }, (_, place) => {
        const minute = last - slots + 1 + place;
        return { startAt: minute * minuteMs, slot: of(minute) ?? empty() };
      });
    },
  };
}
