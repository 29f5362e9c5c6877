/** Decoding of lists in which single entries may be corrupt. */
import { UnreadableDataError } from '#core/model/errors.ts';

/**
 * Decodes every entry with `read`, and calls `skipped` instead for each entry that cannot be read.
 *
 * @throws every error of `read` other than {@link UnreadableDataError}
 */
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
