/** Reads records where one that cannot be read must not hide the others. */
import { UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';

/**
 * The records of these orders, without unknown orders and those that cannot be read.
 *
 * @throws {UnavailableError}
 */
export async function readableRecords(
  store: Pick<StateStore, 'records'>,
  orderIds: readonly OrderId[],
): Promise<readonly ProcessRecord[]> {
  if (orderIds.length === 0) return [];
  try {
    return [...(await store.records(orderIds)).values()];
  } catch (error) {
    if (!(error instanceof UnreadableDataError)) throw error;
    if (orderIds.length === 1) return [];
  }
  const each = await Promise.all(orderIds.map((orderId) => readableRecords(store, [orderId])));
  return each.flat();
}
