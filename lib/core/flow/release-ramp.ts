/** How fast calls to a service begin again after an outage. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * The rate of calls after an outage, in parts of the good rate before it: 1 % at first, and after `ms` a little more than
 * all of it, so that what was held is worked off without a second peak.
 */
const ramp = { first: 0.01, last: 1.15, ms: 8 * secondMs };
const risingPerMs = Math.log(ramp.last / ramp.first) / ramp.ms;

/** From `afterMs` on the rate doubles every `everyMs`. */
const growth = {
  known: { afterMs: 5 * minuteMs, everyMs: 5 * minuteMs },
  /**
   * A rate that was not measured says nothing of what the service can do, and orders may come much faster. So the rate grows
   * as in the slow start of TCP, until no step waits, the agent makes as many calls at once as it may, or calls fail.
   */
  unknown: { afterMs: ramp.ms, everyMs: 2 * secondMs },
};
/** A bound for the exponent, far above every rate at which calls are asked for. */
const doublingsMax = 20;

/** The rate at which a service was called before an outage. */
export interface GoodRate {
  readonly perSecond: number;
  /** Whether it was measured for long enough to bound the rate after the outage. Otherwise that rate begins here, and grows. */
  readonly isKnown: boolean;
}

/** The rate that a recovering service had before its outage, and the calls that it was given since. */
export interface Recovery {
  readonly goodRate: GoodRate;
  readonly admitted: number;
}

/** The ramp ends after this, ms. */
export const rampMs = ramp.ms;

/** The rate of calls of a recovering service, per second. */
export function perSecond({ goodRate }: Recovery, elapsedMs: number): number {
  const { perSecond: before } = goodRate;
  if (elapsedMs <= ramp.ms) return before * ramp.first * Math.exp(risingPerMs * elapsedMs);
  return before * ramp.last * 2 ** doublings(goodRate, elapsedMs);
}

const growthOf = ({ isKnown }: GoodRate) => (isKnown ? growth.known : growth.unknown);

function doublings(goodRate: GoodRate, elapsedMs: number): number {
  const { afterMs, everyMs } = growthOf(goodRate);
  return Math.min(Math.max(0, elapsedMs - afterMs) / everyMs, doublingsMax);
}

/** How many more steps may be admitted at once. */
export const leftAfter = (recovery: Recovery, elapsedMs: number) =>
  1 + allowance(recovery, elapsedMs) - recovery.admitted;

/** The calls that may have begun after so long: the integral of {@link perSecond}. */
function allowance({ goodRate }: Recovery, elapsedMs: number): number {
  const { afterMs, everyMs } = growthOf(goodRate);
  const perMs = goodRate.perSecond / secondMs;
  const risingMs = Math.min(elapsedMs, ramp.ms);
  const level = perMs * ramp.last;
  const levelMs = Math.max(0, Math.min(elapsedMs, afterMs) - ramp.ms);
  return (
    ((perMs * ramp.first) / risingPerMs) * (Math.exp(risingPerMs * risingMs) - 1) +
    level * levelMs +
    ((level * everyMs) / Math.LN2) * (2 ** doublings(goodRate, elapsedMs) - 1)
  );
}
