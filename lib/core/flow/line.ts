/**
 * Lines: the orders of one singleton key that may not have ended, in the order of their submission (R29).
 *
 * An order is put into its line by the write that creates it, and begins when none of those before it is live. What has ended, or
 * is not stored any more, is in nobody's way, whether or not it was taken out: so no crash can block a key.
 */
import type { OrderId } from '#core/model/ids.ts';

/** In the order of their submission. */
export type Line = readonly OrderId[];

/** Those that an order waits for, if they are live; none for an order that is not in the line. */
export function ahead(line: Line, orderId: OrderId): Line {
  return line.slice(0, Math.max(0, line.indexOf(orderId)));
}

/** The line after an order has ended. */
export function without(line: Line, orderId: OrderId): Line {
  return line.filter((other) => other !== orderId);
}
