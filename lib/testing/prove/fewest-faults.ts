/** Leaves out faults of a world one after the other while the world still shows its mistake (delta debugging: Zeller 2002). */

/** Worlds that are simulated for it, at most. */
const worldsMax = 400;

/**
 * @param count the number of faults of the world
 * @param shows whether the world shows the mistake where only these of its faults happen, by their numbers from 1
 * @returns the faults that are left: without any one of them the mistake is not shown
 */
export async function fewestFaults(
  count: number,
  shows: (only: ReadonlySet<number>) => Promise<boolean>,
): Promise<ReadonlySet<number>> {
  let kept = Array.from({ length: count }, (_, at) => at + 1);
  let worlds = 0;

  /** Whether something was left out. */
  async function leaveOut(size: number): Promise<boolean> {
    const before = kept.length;
    for (let at = 0; at < kept.length && worlds < worldsMax; ) {
      const rest = kept.toSpliced(at, size);
      worlds += 1;
      if (await shows(new Set(rest))) kept = rest;
      else at += size;
    }
    return kept.length < before;
  }

  for (let size = count; size > 1; size = Math.ceil(size / 2)) await leaveOut(size);
  while (await leaveOut(1)) {
    // One fault may have been needed only because of another one.
  }
  return new Set(kept);
}
