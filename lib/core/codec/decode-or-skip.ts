/** An answer about many, of which some may have been spoiled: one that cannot be read hides no other. */
import { UnreadableDataError } from '#core/model/errors.ts';

/** What `read` makes of each; `leftOut` is called with each one that cannot be read. */
export function decodeOrSkip<Stored, Value>(
  all: readonly Stored[],
  read: (stored: Stored) => Value,
  skipped: (stored: Stored, error: UnreadableDataError) => void,
): Value[] {
  return all.flatMap((stored) => {
    try {
      return [read(stored)];
    } catch (error) {
      if (!(error instanceof UnreadableDataError)) throw error;
      skipped(stored, error);
      return [];
    }
  });
}
