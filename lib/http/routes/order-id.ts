/** Order ids in paths. */
import { orderId as checkedOrderId, type OrderId } from '#core/model/ids.ts';
import { problem, Refusal } from '#http/problem.ts';

/** Refuses an id that no order can have, before the store is read. */
export function knownForm(id: string): OrderId {
  try {
    return checkedOrderId(id);
  } catch {
    throw malformed();
  }
}

/** Ids as Reeve generates them: randomly, or from the digest of an idempotency key. */
const madeByReeve = /^([0-9a-hjkmnp-tv-z]{26}|k[0-9a-f]{40})$/;

/** The refusal of an unknown id; it says when the id does not look like one of Reeve. */
export function unknownOrder(orderId: OrderId): Refusal {
  if (!madeByReeve.test(orderId)) return malformed();
  return new Refusal(
    problem(
      'order-unknown',
      'No order has this id. Ended orders are deleted when their retention period is over.',
    ),
  );
}

function malformed(): Refusal {
  return new Refusal(
    problem(
      'order-id-malformed',
      'An order id has 26 lower-case letters and digits, or k and 40 hexadecimal digits. GET /orders lists the orders.',
    ),
  );
}
