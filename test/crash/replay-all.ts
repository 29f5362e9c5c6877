/** Replays the history of each order of a database, when its process has ended (R15). */

import { checkHistory, checkStored } from '#checkers/end-checker.ts';
import { orderId as idOf } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import { orderFulfilment } from '#workflows/order-fulfilment.ts';

const silent = { info() {}, warn() {}, error() {} };

/**
 * Returns what is wrong, one text per fault. Only the stored revision of an order is known, so that those before it are
 * compared with nothing.
 *
 * @param path the database file
 */
export async function replayAll(path: string, orderIds: readonly string[]): Promise<string[]> {
  const store = sqliteStore({ path, sweepPeriodMs: 1_000, log: silent });
  try {
    const ids = orderIds.map(idOf);
    const [records, orders] = await Promise.all([store.records(ids), store.orders(ids)]);
    return ids.flatMap((orderId) => {
      const record = records.get(orderId);
      const order = orders.get(orderId);
      if (record === undefined || order === undefined) return [`${orderId} is lost`];
      return faultsOf(record, () =>
        replay(record, { definition: orderFulfilment, details: order.details }),
      );
    });
  } finally {
    store.close();
  }
}

function faultsOf(record: ProcessRecord, revisions: () => readonly ProcessRecord[]): string[] {
  const last = () => revisions().slice(-1);
  const faults = [checkStored(record), checkHistory(record, last, () => record)];
  return faults.flatMap((fault) => (fault === null ? [] : [`${fault.rule}: ${fault.message}`]));
}
