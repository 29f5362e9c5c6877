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
}

/** Timers are late by less, also where the process was busy. */
const jumpMinMs = 600_000;
/** How long a jump is doubted, ms: long enough to set a clock right. */
export const clockDoubtMs = 24 * 3_600_000;

/** The time at a start. @param newest the newest instant that is stored; null: nothing is */
export const trustedAtStart = (newest: number | null, nowMs: number): TrustedTime =>
  trustedAfter({ at: Math.min(newest ?? nowMs, nowMs), doubtMs: null }, 0, nowMs);

/** The time after a timer of `passedMs`. */
export function trustedAfter(
  { at, doubtMs }: TrustedTime,
  passedMs: number,
  nowMs: number,
): TrustedTime {
  const expected = at + passedMs;
  if (nowMs - expected < jumpMinMs) return { at: nowMs, doubtMs: null };
  const left = doubtMs === null ? clockDoubtMs : doubtMs - passedMs;
  return left > 0 ? { at: expected, doubtMs: left } : { at: nowMs, doubtMs: null };
}
