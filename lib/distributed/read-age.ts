/** How old something is that was read or noted before. */

/**
 * Whether it is at least so old, ms. What has an instant in the future is old, too: the clock was set back since then, and it would
 * otherwise be new until the clock has caught up.
 */
export function isOlder(at: number, ms: number, nowMs: number): boolean {
  const ageMs = nowMs - at;
  return ageMs < 0 || ageMs >= ms;
}
