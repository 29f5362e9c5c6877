/** One read for all orders of a batch: an eventually consistent one where that costs less. */
import { UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { ordersOf } from '../orders-of.ts';

/** The orders of a batch, as they were read. */
export interface Loaded {
  readonly records: ReadonlyMap<OrderId, ProcessRecord>;
  readonly orders: ReadonlyMap<OrderId, Order>;
  /** A record may be that of an earlier revision, or absent although it is stored. */
  readonly isEventual: boolean;
}

/** The order that an event is for. */
export interface ToLoad {
  readonly orderId: OrderId;
  /** What the event needs. Default `all`; `record` loads no details, which are half of the reads where they are an item of their own. */
  readonly reads?: 'all' | 'record';
}

/** Null when one of the orders is unreadable: each is then loaded separately, to find out which. */
export async function loadBatch(
  store: StateStore,
  batch: readonly ToLoad[],
): Promise<Loaded | null> {
  const { eventualRecords } = store;
  try {
    return eventualRecords === undefined
      ? await load(store, batch)
      : { ...(await loadBy(eventualRecords, store, batch)), isEventual: true };
  } catch (error) {
    if (error instanceof UnreadableDataError) return null;
    throw error;
  }
}

/**
 * Reads consistently.
 *
 * @throws {UnreadableDataError} when one of the orders is unreadable
 */
export const load = (store: StateStore, batch: readonly ToLoad[]): Promise<Loaded> =>
  loadBy((ids) => store.records(ids), store, batch);

async function loadBy(
  read: StateStore['records'],
  store: StateStore,
  batch: readonly ToLoad[],
): Promise<Loaded> {
  const records = await read(idsOf(batch));
  const withDetails = batch.some(isRecordOnly)
    ? idsOf(batch.filter((each) => !isRecordOnly(each))).flatMap((id) => records.get(id) ?? [])
    : [...records.values()];
  return { records, orders: await ordersOf(store, withDetails), isEventual: false };
}

const isRecordOnly = ({ reads }: ToLoad) => reads === 'record';

const idsOf = (batch: readonly ToLoad[]): readonly OrderId[] => [
  ...new Set(batch.map(({ orderId }) => orderId)),
];
