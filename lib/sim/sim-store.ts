/** The state store as one machine reaches it: over a network, and with every operation on record. */
import { CorruptDataError } from '#core/errors.ts';
import type { OrderId } from '#core/ids.ts';
import type { Order, ProcessRecord } from '#core/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { OperationLog } from './operations.ts';
import type { SimTable } from './sim-table.ts';

export interface SimStoreOptions {
  readonly table: SimTable;
  readonly machine: Machine;
  readonly faults: Faults;
  readonly operations: OperationLog;
  /** Told when a write is known to its writer as its own. */
  readonly onCommitted: (record: ProcessRecord, machine: Machine) => void;
}

export function simStore(options: SimStoreOptions): StateStore {
  const { table, machine, faults, operations: log } = options;

  async function write<Answer extends string>(
    record: ProcessRecord,
    what: string,
    won: Answer,
    act: () => Answer,
  ): Promise<Answer> {
    const { orderId, revision, writeId } = record;
    const answered = log.write(orderId, revision, writeId);
    const answer = await machine.call({ what, act, refusal: 'store-throttled' });
    answered(answer === won);
    if (answer === won) options.onCommitted(record, machine);
    return answer;
  }

  async function read<Item>(
    what: string,
    orderIds: readonly OrderId[],
    itemOf: (orderId: OrderId) => Item | undefined,
  ): Promise<ReadonlyMap<OrderId, Item>> {
    return machine.call({
      what: `${what} ${orderIds.length}`,
      refusal: 'store-throttled',
      act: () => {
        if (faults.strike('record-unreadable')) {
          throw new CorruptDataError('record-corrupt', 'The simulation: record-unreadable.');
        }
        const found = new Map<OrderId, Item>();
        for (const orderId of orderIds) {
          const item = itemOf(orderId);
          if (item !== undefined) found.set(orderId, item);
        }
        return found;
      },
    });
  }

  return {
    dueShards: table.shards,
    create: (order: Order, record) =>
      write(record, `create ${record.orderId}`, 'created', () =>
        table.create(order, record, machine.name),
      ),
    commit: (record) =>
      write(record, `commit ${record.orderId} ${record.revision}`, 'committed', () =>
        table.commit(record, machine.name),
      ),
    async records(orderIds) {
      const asked = orderIds.map((orderId) => log.read(orderId));
      const found = await read('records', orderIds, table.record);
      for (const [at, orderId] of orderIds.entries()) {
        asked[at]?.(found.get(orderId)?.revision ?? 0);
      }
      return found;
    },
    orders: (orderIds) => read('orders', orderIds, table.order),
    due: (query) => {
      // A page may be shorter than what was asked for: DynamoDB ends one at a megabyte.
      const limit = faults.strike('page-short') ? 1 : query.limit;
      return machine.call({
        what: `due ${query.shard}`,
        refusal: 'store-throttled',
        act: () => table.due({ ...query, limit }),
      });
    },
    list: (query) =>
      machine.call({ what: 'list', refusal: 'store-throttled', act: () => table.list(query) }),
  };
}
