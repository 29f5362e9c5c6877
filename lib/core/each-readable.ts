/** An answer about many, of which some may have been spoiled: one that cannot be read hides no other. */
import { CorruptDataError } from './errors.ts';

/** What `read` makes of each; `leftOut` is told of every one that is corrupt, lest it be forgotten. */
export function eachReadable<Stored, Value>(
  all: readonly Stored[],
  read: (stored: Stored) => Value,
  leftOut: (stored: Stored, error: CorruptDataError) => void,
): Value[] {
  return all.flatMap((stored) => {
    try {
      return [read(stored)];
    } catch (error) {
      if (!(error instanceof CorruptDataError)) throw error;
      leftOut(stored, error);
      return [];
    }
  });
}
