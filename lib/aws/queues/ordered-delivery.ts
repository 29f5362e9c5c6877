/** Delivers a batch: entries with the same key in sequence, different keys concurrently. */

/**
 * Returns the indexes of failed entries. After a failure, `deliver` is not called for later entries with the
 * same key.
 */
export async function deliverInOrder<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  deliver: (entry: Entry, place: number) => Promise<void>,
  failed: (entry: Entry, error: unknown) => void,
): Promise<readonly number[]> {
  const failedAt: number[] = [];
  const byKey = Map.groupBy(entries.entries(), ([, entry]) => keyOf(entry));
  await Promise.all(
    [...byKey.values()].map(async (own) => {
      for (const [place, entry] of own) {
        try {
          await deliver(entry, place);
        } catch (error) {
          failedAt.push(place);
          failed(entry, error);
          return;
        }
      }
    }),
  );
  return failedAt;
}
