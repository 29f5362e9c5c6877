/**
 * How many orders are offered per second, so that a deployment stays at its limit: the age of the oldest message says whether it
 * can take more. The rate is doubled until messages wait, then follows the limit, as the window of TCP does.
 */

export interface Pace {
  readonly perSecond: number;
  /** No message has waited yet. */
  readonly isSlowStart: boolean;
}

/** Orders per second at first. */
const firstPerSecond = 4;
/** At least, so that the limit is looked for again after the machine was busy with something else. */
const leastPerSecond = 1;
/** Below it nothing waits, s: the emulator polls a queue ten times a second, and a batch takes up to half a second. */
const idleS = 0.5;
/** Above it, more comes than is processed, s. The shortest deadline of a step is 2 s, in which its request and its reply wait. */
const fullS = 1;
const more = 1.05;
const less = 0.8;

export const firstPace: Pace = { perSecond: firstPerSecond, isSlowStart: true };

/** @param oldestS the age of the oldest message of all queues, s */
export function nextPace({ perSecond, isSlowStart }: Pace, oldestS: number): Pace {
  if (oldestS < idleS) return { perSecond: perSecond * (isSlowStart ? 2 : more), isSlowStart };
  if (oldestS <= fullS) return { perSecond, isSlowStart: false };
  return { perSecond: Math.max(leastPerSecond, perSecond * less), isSlowStart: false };
}
