/** Sixty slots, one a minute, that are used again and again: an hour in bounded memory. */

const minuteMs = 60_000;
const slots = 60;

export interface LastHour<Slot> {
  /** The slot of the present minute. */
  now(nowMs: number): Slot;
  /** Of the last sixty minutes, oldest first, each with the instant at which it began. */
  all(nowMs: number): readonly { readonly at: number; readonly slot: Slot }[];
}

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
      return Array.from({ length: slots }, (_, at) => {
        const minute = last - slots + 1 + at;
        return { at: minute * minuteMs, slot: of(minute) ?? empty() };
      });
    },
  };
}
