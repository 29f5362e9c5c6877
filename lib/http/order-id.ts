/** Order ids as they come in a path. */
import { z } from '@hono/zod-openapi';
import { orderId as checkedOrderId, type OrderId } from '#core/ids.ts';
import { problem, Refusal } from './problem.ts';

export const orderParam = z.object({
  id: z.string().openapi({ param: { name: 'id', in: 'path' }, description: 'The order id.' }),
});

/** An id of another form names no order; that is all the caller needs to know. */
export function knownForm(id: string): OrderId {
  try {
    return checkedOrderId(id);
  } catch {
    throw unknownOrder();
  }
}

export function unknownOrder(): Refusal {
  return new Refusal(problem('order-unknown', 'No order has this id.'));
}
