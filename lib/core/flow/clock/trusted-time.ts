/**
 * The time that may be relied on for what cannot be undone. A clock that jumps ahead, because it was set wrongly or the machine slept,
 * is not followed for a day of running time; meanwhile the time passes as timers say.
 */

/** See above. */
export interface TrustedTime {
  /** Ms since the epoch. */
  readonly at: number;
  /** How much longer the clock is doubted, ms; null: it is followed. */
  readonly doubtMs: number | null;
  /** What the clock said, ms since the epoch. */
  readonly clockMs: number;
}

/** Timers are late by less, also where the process was busy. */
const jumpMinMs = 600_000;
/** How long a jump is doubted, ms: long enough to set a clock right. */
export const clockDoubtMs = 24 * 3_600_000;
/** A further jump while the clock is doubted is doubted for so long at least, ms: no day, or a machine that sleeps each night would never be followed. */
const furtherDoubtMs = 3_600_000;

/** The time at a start. @param newest the newest instant that is stored; null: nothing is */
export const trustedAtStart = (newest: number | null, nowMs: number): TrustedTime =>
  trustedAfter({ at: Math.min(newest ?? nowMs, nowMs), doubtMs: null, clockMs: nowMs }, 0, nowMs);

/** The time after a timer of `passedMs`. */
export function trustedAfter(
  { at, doubtMs, clockMs }: TrustedTime,
  passedMs: number,
  nowMs: number,
): TrustedTime {
  const expected = at + passedMs;
  const followed = { at: nowMs, doubtMs: null, clockMs: nowMs };
  if (nowMs - expected < jumpMinMs) return followed;
  const isFurther = nowMs - clockMs - passedMs >= jumpMinMs;
  const least = isFurther ? furtherDoubtMs : 0;
  const left = doubtMs === null ? clockDoubtMs : Math.max(least, doubtMs - passedMs);
  return left > 0 ? { at: expected, doubtMs: left, clockMs: nowMs } : followed;
}
