/** Where the search leads. */
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument } from '#console/api/documents.ts';
import { orderHash, ordersHash } from '#console/parts/page-paths.ts';

/**
 * Several orders may share a correlation id; any other text is treated as an order id.
 *
 * @param answer the first page of the orders with this correlation id: a short one may have a next page
 */
export function foundHash(text: string, answer: Answer<ListDocument>): string {
  if (answer.kind !== 'ok') return orderHash(text);
  const { orders, cursor } = answer.body;
  const [order, ...others] = orders;
  if (cursor !== null || others.length > 0) return ordersHash({ correlationId: text });
  return orderHash(order === undefined ? text : order.orderId);
}
