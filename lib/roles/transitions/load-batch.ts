/** One read for all orders of a batch. */
import { UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';

/** The orders of a batch, as they were read. */
export interface Loaded {
  readonly records: ReadonlyMap<OrderId, ProcessRecord>;
  readonly orders: ReadonlyMap<OrderId, Order>;
}

/** The order that an event is for. */
export interface ToLoad {
  readonly orderId: OrderId;
  /** What the event needs. Default `all`; `record` loads no details, which is half of the reads. */
  readonly reads?: 'all' | 'record';
}

/** Null when one of the orders is unreadable: each is then loaded separately, to find out which. */
export async function loadBatch(
  store: StateStore,
  batch: readonly ToLoad[],
): Promise<Loaded | null> {
  try {
    return await load(store, batch);
  } catch (error) {
    if (error instanceof UnreadableDataError) return null;
    throw error;
  }
}

/** @throws {UnreadableDataError} when one of the orders is unreadable */
export async function load(store: StateStore, batch: readonly ToLoad[]): Promise<Loaded> {
  const ids = idsOf(batch);
  const withDetails = batch.some(isRecordOnly)
    ? idsOf(batch.filter((each) => !isRecordOnly(each)))
    : ids;
  const [records, orders] = await Promise.all([
    store.records(ids),
    withDetails.length === 0 ? new Map<OrderId, Order>() : store.orders(withDetails),
  ]);
  return { records, orders };
}

const isRecordOnly = ({ reads }: ToLoad) => reads === 'record';

const idsOf = (batch: readonly ToLoad[]): readonly OrderId[] => [
  ...new Set(batch.map(({ orderId }) => orderId)),
];
