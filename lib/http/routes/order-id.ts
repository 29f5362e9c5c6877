/** Order ids as they come in a path. */
import { z } from '@hono/zod-openapi';
import { orderId as checkedOrderId, type OrderId } from '#core/model/ids.ts';
import { problem, Refusal } from '#http/problem.ts';

export const orderParam = z.object({
  id: z.string().openapi({ param: { name: 'id', in: 'path' }, description: 'The order id.' }),
});

/** An id that no order can have is refused before the store is asked. */
export function knownForm(id: string): OrderId {
  try {
    return checkedOrderId(id);
  } catch {
    throw malformed();
  }
}

/** As Reeve makes them: at random, or from the digest of an idempotency key. */
const madeByReeve = /^([0-9a-hjkmnp-tv-z]{26}|k[0-9a-f]{40})$/;

/** For an id that the store does not know: most that do not look like one were never one. */
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
