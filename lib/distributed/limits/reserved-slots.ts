/** The slots of a rate that have a call, although slots before them have none yet. Instants are ms since the epoch. */

/**
 * Slots of a higher rate are reserved at multiples of their distance, ms: so two instances that know nothing of each other ask for
 * the same instant, of which the store refuses one. Slots of a lower rate are reserved at any instant: its calls would wait for long.
 */
const multiplesMaxMs = 50;

/** How many of these instants are in the interval that begins there. */
export const countIn = (instants: readonly number[], begin: number, lengthMs: number) =>
  instants.filter((one) => one >= begin && one < begin + lengthMs).length;

/** The first instant from this one on that may be reserved, a slot away from all that are. */
export function unreserved(reserved: readonly number[], from: number, everyMs: number): number {
  if (everyMs <= multiplesMaxMs) {
    for (let multiple = Math.ceil(from / everyMs); ; multiple += 1) {
      const instant = Math.ceil(multiple * everyMs);
      if (!reserved.includes(instant)) return instant;
    }
  }
  let free = Math.ceil(from);
  for (const one of reserved.toSorted((a, b) => a - b)) {
    if (one >= free + everyMs) break;
    if (one + everyMs > free) free = Math.ceil(one + everyMs);
  }
  return free;
}

/** The first instant from this one on that is in no slot of a call that was reserved before it. */
export function slotAfter(reserved: readonly number[], from: number, everyMs: number): number {
  let first = from;
  for (const one of reserved.toSorted((a, b) => a - b)) {
    if (one < first && one + everyMs > first) first = one + everyMs;
  }
  return first;
}

/** Whether an instant that was reserved is a slot away from those that were reserved before it. */
export const isApart = (instant: number, reserved: readonly number[], everyMs: number) =>
  everyMs <= multiplesMaxMs || reserved.every((one) => Math.abs(one - instant) >= everyMs);
