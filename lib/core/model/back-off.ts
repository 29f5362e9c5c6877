/** Exponential backoff. */

/** A wait that doubles with every failure, up to a maximum. */
export interface BackOff {
  /** The wait after the first failure, ms. */
  readonly firstMs: number;
  /** The maximum, ms. */
  readonly maxMs: number;
}

/** More doublings exceed every `maxMs`. */
const doublingsMax = 30;

/** The wait after this many consecutive failures (at least 1), ms. Callers that can fail together add jitter. */
export function backOffWindowMs({ firstMs, maxMs }: BackOff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, doublingsMax));
}
