/** When to send a request again that was refused for now: the header `Retry-After` (RFC 9110), and the wait between two tries. */

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

/** Whether nothing was stored or changed by a request that was refused so: it may be sent again, also without a key. */
export function hasNoEffect({
  status,
  code,
}: {
  readonly status: number | null;
  /** That of the problem document. */
  readonly code: string | undefined;
}): boolean {
  return status === 429 || code === 'overloaded';
}

/** The waits between tries, ms. */
export interface Waits {
  /** The random part of the first one, at most; doubled for each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The random part of a wait, at most, ms: at least the usual one, because a server that says 0 would be sent hundreds of requests per
 * second; and at least as long as the server asks to wait, because all senders would otherwise come back at once.
 *
 * @param tries how often it was sent again
 */
export function spreadMs(leastMs: number, tries: number, { firstMs, maxMs }: Waits): number {
  return Math.max(leastMs, Math.min(maxMs, firstMs * 2 ** tries));
}
