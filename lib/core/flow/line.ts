/**
 * Lines: the orders of one singleton key that may not have ended, in the order of their submission (R29).
 *
 * An order is put into its line by the write that creates it, and begins when none of those before it is live. What has ended, or
 * is not stored any more, keeps none waiting, whether or not it was taken out: so no crash can block a key.
 */
import { CorruptDataError } from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';

/** In the order of their submission. */
export type Line = readonly OrderId[];

/** Those that an order waits for, if they are live; none for an order that is not in the line. */
export function ahead(line: Line, id: OrderId): Line {
  return line.slice(0, Math.max(0, line.indexOf(id)));
}

/** The line after an order has ended. */
export function without(line: Line, id: OrderId): Line {
  return line.filter((other) => other !== id);
}

/** No order id has one. */
const separator = ' ';

/** The stored form of a line, the same for every store; empty for a line without orders. */
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
