/** Every order of a filter, a page at a time. */
import type { z } from 'zod';
import type { Context } from '#cli/context.ts';
import { type OrderFilter, queryOf } from '#cli/options/order-filter.ts';
import { progress } from '#cli/output/progress.ts';
import { bulkPageSchema, type ListedDocument, type ProcessState } from './response-schemas.ts';

/** Orders of one request (the API's limit). */
const pageMax = 200;

/** Those of an order that has not ended; nothing can be done to the others. */
const liveStates = ['Pending', 'Processing', 'Error'] as const satisfies readonly ProcessState[];

/**
 * Without a state, those that have not ended. Each is there once, as it was listed last; one whose state changes meanwhile may be missing,
 * unless it is excluded anyway because it changes after `before`.
 */
export async function everyOrder(
  context: Context,
  filter: OrderFilter,
): Promise<readonly ListedDocument[]> {
  const line = progress(context);
  try {
    return await pagesOf(context, filter, (found) => line.write(() => `${found} orders found`));
  } finally {
    // Also before an error, which would be on the same line.
    line.clear();
  }
}

async function pagesOf(
  { reeve }: Context,
  filter: OrderFilter,
  onPage: (found: number) => void,
): Promise<readonly ListedDocument[]> {
  const orders = new Map<string, ListedDocument>();
  for (const state of filter.state === undefined ? liveStates : [filter.state]) {
    let cursor: string | null = null;
    do {
      const query = queryOf({ ...filter, state });
      query.set('limit', String(pageMax));
      if (cursor !== null) query.set('cursor', cursor);
      const call = { method: 'GET', path: `/orders?${query}`, answer: bulkPageSchema } as const;
      const { value }: { value: z.infer<typeof bulkPageSchema> } = await reeve({
        ...call,
        // A selection of many pages would begin anew because one of them was refused for a moment.
        isRepeatable: true,
      });
      for (const order of value.orders) orders.set(order.orderId, order);
      cursor = value.cursor;
      onPage(orders.size);
    } while (cursor !== null);
  }
  return [...orders.values()];
}
