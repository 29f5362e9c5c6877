/** What a limit must keep to under backlog, in one process and in a deployment. */

/** The part of a rate that is used, at least. */
export const usedMin = 0.97;
/** The calls of any second over the rate, besides one call: parts of the rate. */
export const overMax = 0.02;

/** The calls in any interval of that length, at most. @param begun instants in their order, ms */
export function mostIn(intervalMs: number, begun: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, at] of begun.entries()) {
    while ((begun[first] ?? at) <= at - intervalMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
