/** How old something is that was read or noted before. */

/**
 * Whether it is at least so old, ms. One of the future is old, too: the clock was set back since, by no one knows how much, and what was
 * read would otherwise be new until the clock has caught up.
 */
export function isOlder(at: number, ms: number, nowMs: number): boolean {
  const ageMs = nowMs - at;
  return ageMs < 0 || ageMs >= ms;
}
