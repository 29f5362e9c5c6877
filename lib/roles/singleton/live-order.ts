/** Whether an order is in the way of others with its singleton key. */
import type { Line } from '#core/flow/line.ts';
import { UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { hasEnded, type ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';

/**
 * The record while the order is live; null when it has ended, or is not stored any more. An order whose record cannot be read is
 * not known to have ended, so that it counts as live.
 */
export async function liveOrder(
  store: Pick<StateStore, 'records'>,
  orderId: OrderId,
): Promise<ProcessRecord | 'unreadable' | null> {
  try {
    const record = (await store.records([orderId])).get(orderId);
    return record === undefined || hasEnded(record) ? null : record;
  } catch (error) {
    if (error instanceof UnreadableDataError) return 'unreadable';
    throw error;
  }
}

/** Those of a line that are live, with one read, unless one of them cannot be read. */
export async function liveAmong(store: Pick<StateStore, 'records'>, line: Line): Promise<Line> {
  try {
    const records = await store.records(line);
    return line.filter((orderId) => {
      const record = records.get(orderId);
      return record !== undefined && !hasEnded(record);
    });
  } catch (error) {
    if (!(error instanceof UnreadableDataError)) throw error;
  }
  const live = await Promise.all(line.map((orderId) => liveOrder(store, orderId)));
  return line.filter((_, at) => live[at] !== null);
}
