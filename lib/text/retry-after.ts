/** Reads the header `Retry-After` (RFC 9110): seconds, or a date. */

/** Longer waits are no answer to a passing refusal, and twice as long still fits a timer of JavaScript, ms. */
const longestMs = 1_000_000_000;

/**
 * Returns how long to wait, ms, 0 to 1,000,000 s; null when the header is missing, or neither seconds nor a date.
 *
 * @param nowMs the time since 1970, for a date
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Math.min(Number(header) * 1_000, longestMs);
  // `Date.parse` takes numbers for years.
  const atMs = /^[A-Z]/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.min(Math.max(0, atMs - nowMs), longestMs);
}
