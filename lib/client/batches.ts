/** How many orders are divided into bulk submissions: by the client, and by the command line. */
import { limits } from '#core/model/limits.ts';

/** An order that is to be submitted with others. */
export interface Sized {
  /** The bytes of its JSON text. */
  readonly bytes: number;
}

/** Of the body, around the orders: `{"orders":[]}`. */
const envelopeBytes = 13;

/** As few requests as their limits allow, in the given order. An order that is too large for any is by itself, and is refused. */
export function batchesOf<Order extends Sized>(orders: readonly Order[]): Order[][] {
  const batches: Order[][] = [];
  let bytes = 0;
  for (const order of orders) {
    const last = batches.at(-1);
    // With the comma after it.
    const more = order.bytes + 1;
    const hasRoom =
      last !== undefined &&
      last.length < limits.batchOrdersMax &&
      bytes + more <= limits.batchBytesMax;
    if (hasRoom) last.push(order);
    else {
      batches.push([order]);
      bytes = envelopeBytes;
    }
    bytes += more;
  }
  return batches;
}
