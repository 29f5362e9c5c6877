/** How long to wait between tries: a wait that doubles with every failure, up to a longest one. */

export interface BackOff {
  /** The wait after the first failure, ms. */
  readonly firstMs: number;
  /** The longest wait after any failure, ms. */
  readonly maxMs: number;
}

/** Doublings beyond this exceed every `maxMs`. */
const doublingsMax = 30;

/** The wait after so many failures in a row, from 1, ms. Callers that may fail together add jitter to it. */
export function backOffWindowMs({ firstMs, maxMs }: BackOff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, doublingsMax));
}
