/**
 * The slots of a rate: one call each, evenly spaced (the generic cell rate algorithm, ITU-T I.371). Calls that find no slot
 * wait for theirs.
 *
 *     rate 4 per second, burst 1     |----|----|----|----|   a slot each 250 ms
 *     idle, then five calls          1    2    3    4    5
 */

/** See {@link rateSlots}. Instants are ms since the epoch. */
export interface RateSlots {
  /** When a further call may begin, if `ahead` others begin before it. */
  readyAt(ahead: number, nowMs: number): number;
  /** When the slot of a further call has passed unused, if `ahead` others begin before it. */
  passesAt(ahead: number, nowMs: number): number;
  /** The earliest instant from `from` on at which a call may begin. */
  slotFrom(nowMs: number, from: number): number;
  /**
   * Takes the slot of a call that begins at `from`, or as soon after it as there is one. Default: now. Gives its instant. The
   * slots before one that lies further ahead are those of other calls.
   */
  take(nowMs: number, from?: number): number;
  /** Whether nothing is known of the last calls that matters. */
  isIdle(nowMs: number): boolean;
  /** From the last slot on, they are those of another rate. */
  change(rate: Rate): void;
}

/** A rate of `count` calls per `perMs` ms, of which `burst` may begin together. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
  readonly burst: number;
}

/**
 * A call that begins later than its slot by no more than this does not delay the next ones: otherwise the delays of timers
 * would lower the rate. So up to 2 % of the calls of a second may begin earlier than spaced evenly.
 */
export const slotSlackMs = 20;
/** A call is begun at most so long before its slot, ms, and waits for it at its agent. */
export const slotLeadMaxMs = 250;

/** Makes the slots of one rate; the first is a full interval after `sinceMs`, because a former process may have made calls. */
export function rateSlots({ count, perMs, burst }: Rate, sinceMs: number): RateSlots {
  let everyMs = perMs / count;
  let aheadMs = (burst - 1) * everyMs;
  /** When the next call would begin if all were evenly spaced. */
  let next = sinceMs + burst * everyMs;

  /** Slots after `next` that are taken, the earliest first. */
  let later: readonly number[] = [];

  let seenMs = sinceMs;

  /** The first slot from this one on that overlaps none that is taken. */
  function freeFrom(slot: number): number {
    let free = slot;
    for (const taken of later) {
      if (taken >= free + everyMs) break;
      if (taken + everyMs > free) free = taken + everyMs;
    }
    return free;
  }

  /** A clock that was set back moves the slots with it. */
  function nextAt(nowMs: number): number {
    if (nowMs < seenMs) {
      const backMs = seenMs - nowMs;
      next -= backMs;
      later = later.map((taken) => taken - backMs);
    }
    seenMs = nowMs;
    const earliest = Math.max(next, nowMs - slotSlackMs);
    if (later.length === 0) return earliest;
    later = later.filter((taken) => taken + everyMs > earliest);
    return freeFrom(earliest);
  }

  /** The slot of a call that begins at `from`: one that is further ahead leaves no part of a slot unused before it. */
  function slotOf(nowMs: number, from: number): number {
    const first = nextAt(nowMs);
    const wanted = from - slotSlackMs;
    if (wanted < first + everyMs) return freeFrom(Math.max(first, wanted));
    return freeFrom(first + Math.ceil((wanted - first) / everyMs) * everyMs);
  }

  /** The slot of the call after so many others. */
  function slotAfter(ahead: number, nowMs: number): number {
    let slot = nextAt(nowMs);
    let left = ahead;
    for (const taken of later) {
      const before = Math.max(0, Math.floor((taken - slot) / everyMs));
      if (before > left) break;
      left -= before;
      slot = Math.max(slot, taken + everyMs);
    }
    return slot + left * everyMs;
  }

  return {
    readyAt: (ahead, nowMs) => slotAfter(ahead, nowMs) - aheadMs,
    passesAt: (ahead, nowMs) => slotAfter(ahead + 1, nowMs) + slotSlackMs,
    slotFrom: (nowMs, from) => Math.max(from, slotOf(nowMs, from) - aheadMs),
    take(nowMs, from = nowMs) {
      const slot = slotOf(nowMs, from);
      if (slot < nextAt(nowMs) + everyMs) next = slot + everyMs;
      else later = [...later, slot].toSorted((a, b) => a - b);
      return Math.max(from, slot - aheadMs);
    },
    isIdle: (nowMs) => nextAt(nowMs) === nowMs - slotSlackMs && later.length === 0,
    change(rate) {
      const before = everyMs;
      everyMs = rate.perMs / rate.count;
      aheadMs = (rate.burst - 1) * everyMs;
      next += everyMs - before;
    },
  };
}
