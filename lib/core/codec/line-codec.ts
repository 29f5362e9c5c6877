/** The stored form of a line, the same for every store: the ids of its orders, separated by spaces, which no id has. */
import type { Line } from '#core/flow/line.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';

const separator = ' ';

/** The line as a text; empty for a line without orders. */
export const encodeLine = (line: Line): string => line.join(separator);

/** @throws {CorruptDataError} `line-corrupt` when no release of Reeve wrote the text */
export function decodeLine(stored: unknown): Line {
  try {
    if (typeof stored !== 'string') throw new TypeError('not a text');
    return stored.split(separator).map(orderId);
  } catch (cause) {
    throw new CorruptDataError(
      'line-corrupt',
      'The stored line of the orders of a singleton key cannot be read. Restore it from a backup, or remove it by hand once all orders of its key have ended.',
      { cause },
    );
  }
}
