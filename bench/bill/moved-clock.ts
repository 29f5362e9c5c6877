/** The clock of this process, which steps that take minutes move ahead instead of waiting. */

export interface MovedClock {
  /** Moves the clock ahead. @param ms how far */
  readonly advance: (ms: number) => void;
  /** Gives the machine its own clock back. */
  readonly restore: () => void;
}

/** Replaces `Date.now`, which the functions read through their clock, until it is restored. */
export function movedClock(): MovedClock {
  const { now } = Date;
  let aheadMs = 0;
  Date.now = () => now() + aheadMs;
  return {
    advance: (ms) => {
      aheadMs += ms;
    },
    restore: () => {
      Date.now = now;
    },
  };
}
