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
  /** Takes the next slot that is not before `from`. Default: now. Gives its instant. */
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

  let seenMs = sinceMs;

  /** A clock that was set back moves the slots with it. */
  function nextAt(nowMs: number): number {
    if (nowMs < seenMs) next -= seenMs - nowMs;
    seenMs = nowMs;
    return Math.max(next, nowMs - slotSlackMs);
  }

  return {
    readyAt: (ahead, nowMs) => nextAt(nowMs) + ahead * everyMs - aheadMs,
    take(nowMs, from = nowMs) {
      const at = Math.max(nextAt(nowMs), from - slotSlackMs);
      next = at + everyMs;
      return Math.max(from, at - aheadMs);
    },
    isIdle: (nowMs) => nextAt(nowMs) === nowMs - slotSlackMs,
    change(rate) {
      const before = everyMs;
      everyMs = rate.perMs / rate.count;
      aheadMs = (rate.burst - 1) * everyMs;
      next += everyMs - before;
    },
  };
}
