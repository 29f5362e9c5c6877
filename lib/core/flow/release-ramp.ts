/** How fast calls to a service begin again after an outage. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * The rate of calls after an outage, in parts of the good rate before it: 1 % at first, and after `ms` a little more than
 * all of it, so that what was held is worked off without a second peak. From `growAfterMs` on it doubles every `growEveryMs`.
 */
const ramp = {
  first: 0.01,
  last: 1.15,
  ms: 8 * secondMs,
  growAfterMs: 5 * minuteMs,
  growEveryMs: 5 * minuteMs,
};
const growthPerMs = Math.log(ramp.last / ramp.first) / ramp.ms;

/** The rate that a recovering service had before its outage, and the calls that it was given since. */
export interface Recovery {
  readonly goodRate: number;
  readonly admitted: number;
}

/** The ramp ends after this, ms. */
export const rampMs = ramp.ms;

/** The rate of calls of a recovering service, per second. */
export function perSecond({ goodRate }: Recovery, elapsedMs: number): number {
  if (elapsedMs <= ramp.ms) return goodRate * ramp.first * Math.exp(growthPerMs * elapsedMs);
  const grown = Math.max(0, elapsedMs - ramp.growAfterMs) / ramp.growEveryMs;
  return goodRate * ramp.last * 2 ** Math.min(grown, 20);
}

/** How many more steps may be admitted at once. */
export const leftAfter = (recovery: Recovery, elapsedMs: number) =>
  1 + allowance(recovery, elapsedMs) - recovery.admitted;

/** The calls that may have begun after so long: the integral of {@link perSecond}. */
function allowance({ goodRate }: Recovery, elapsedMs: number): number {
  const perMs = goodRate / secondMs;
  const risingMs = Math.min(elapsedMs, ramp.ms);
  const level = perMs * ramp.last;
  const levelMs = Math.max(0, Math.min(elapsedMs, ramp.growAfterMs) - ramp.ms);
  const grown = Math.min(Math.max(0, elapsedMs - ramp.growAfterMs) / ramp.growEveryMs, 20);
  return (
    ((perMs * ramp.first) / growthPerMs) * (Math.exp(growthPerMs * risingMs) - 1) +
    level * levelMs +
    ((level * ramp.growEveryMs) / Math.LN2) * (2 ** grown - 1)
  );
}
