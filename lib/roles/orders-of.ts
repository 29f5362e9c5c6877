/** The orders of records: some stores keep the document of an order with its record, which then brings it along. */
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';

/** Reads only the orders whose documents are not a part of their records. */
export async function ordersOf(
  store: Pick<StateStore, 'orders'>,
  records: readonly ProcessRecord[],
): Promise<ReadonlyMap<OrderId, Order>> {
  const apart = records.filter(({ document }) => document === undefined);
  const read = apart.length === 0 ? none : await store.orders(apart.map(({ orderId }) => orderId));
  if (apart.length === records.length) return read;
  const orders = new Map(read);
  for (const { orderId, document, submittedAt } of records) {
    if (document !== undefined) orders.set(orderId, { orderId, ...document, submittedAt });
  }
  return orders;
}

const none: ReadonlyMap<OrderId, Order> = new Map();
