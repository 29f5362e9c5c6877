/** A machine's access to the state store: over a network, with every operation recorded. */

import type { SendChecker } from '#checkers/send-checker.ts';
import { CorruptDataError, RefusedError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { OperationLog } from '#sim/checks/operations.ts';
import type { Faults } from '#sim/faults/fault-rates.ts';
import type { StoreOutage } from '#sim/faults/store-outage.ts';
import type { Machine } from '#sim/world/machine.ts';
import { shardOf } from './sim-due-index.ts';
import type { SimTable } from './sim-table.ts';

export interface SimStoreOptions {
  readonly table: SimTable;
  readonly machine: Machine;
  /** Of the release of the machine. */
  readonly shards: number;
  readonly faults: Faults;
  readonly operations: OperationLog;
  readonly rules: Pick<SendChecker, 'committed' | 'unknown'>;
  readonly unreadable: Unreadable;
  readonly outage: StoreOutage;
  /** The reader's work per record, ms, which delays its use of the answer. */
  readonly workMs: number;
  /** Whether it has reads for less that may be behind, as DynamoDB has. Default: it has none. */
  readonly isEventual?: boolean;
}

/** Records that are unreadable for a while, as for a release that does not know their form yet. */
export interface Unreadable {
  strike(orderId: OrderId): void;
  includes(orderId: OrderId): boolean;
}

const unreadableMs = 5_000;

export function unreadableRecords(now: () => number): Unreadable {
  const until = new Map<OrderId, number>();
  return {
    strike: (orderId) => until.set(orderId, now() + unreadableMs),
    includes: (orderId) => (until.get(orderId) ?? 0) > now(),
  };
}

export function simStore(options: SimStoreOptions): StateStore {
  const { table, machine, faults, outage, shards, isEventual = false } = options;
  const by = { name: machine.name, shards };
  const write = writer(options);
  const read = reader(options);
  const call = <Value>(what: string, act: () => Value, workMs = 0) =>
    machine.call({
      what,
      refusal: 'store-throttled',
      answerAfterMs: workMs,
      act: () => {
        outage.checkRead();
        return act();
      },
    });

  return {
    dueShards: shards,
    dueShardsMax: table.shardsMax,
    dueShardOf: shardOf,
    create: (order: Order, record, line) =>
      write(
        record,
        0,
        `create ${record.orderId}`,
        'created',
        () => table.create(order, record, by, line),
        line?.replaced,
      ),
    line: (name) => call('line', () => table.line(name)),
    changeLine: (change) => {
      const what = `line ${change.before.join(' ')} -> ${change.after.join(' ')}`;
      return machine.call({
        what,
        refusal: 'store-throttled',
        act: () => {
          outage.checkRead();
          return table.changeLine(change);
        },
      });
    },
    commit: (record, replaced = record.revision - 1) =>
      write(record, replaced, `commit ${record.orderId} ${record.revision}`, 'committed', () =>
        table.commit(record, replaced, by),
      ),
    ...(isEventual && {
      eventualRecords: (orderIds: readonly OrderId[]) =>
        call(
          `records ${orderIds.length} eventually`,
          () => read(orderIds, (orderId) => lagging(options, orderId)),
          orderIds.length * options.workMs,
        ),
    }),
    async records(orderIds) {
      const asked = orderIds.map((orderId) => options.operations.read(orderId));
      const found = await call(
        `records ${orderIds.length}`,
        () => read(orderIds, table.record),
        orderIds.length * options.workMs,
      );
      for (const [at, orderId] of orderIds.entries()) {
        asked[at]?.(found.get(orderId)?.revision ?? 0);
      }
      return found;
    },
    orders: (orderIds) => call(`orders ${orderIds.length}`, () => read(orderIds, table.orderApart)),
    due: (query) => {
      // A page may be shorter than requested: DynamoDB limits pages to a megabyte.
      const limit = faults.strike('page-short') ? 1 : query.limit;
      return call(`due ${query.shard}`, () => table.due({ ...query, limit }));
    },
    list: (query) => call('list', () => table.list(query)),
  };
}

function lagging({ table, faults }: SimStoreOptions, orderId: OrderId): ProcessRecord | undefined {
  const latest = table.record(orderId);
  const before = table.recordBefore(orderId);
  return before !== latest && faults.strike('read-stale') ? before : latest;
}

type Writer = <Answer extends string>(
  record: ProcessRecord,
  replaced: number,
  what: string,
  won: Answer,
  act: () => Answer,
  /** Another order that is written with it. */
  withIt?: ProcessRecord,
) => Promise<Answer>;

function writer({ machine, operations, rules, outage, faults }: SimStoreOptions): Writer {
  /** Writes whose first answer was lost. */
  const unanswered = new Set<string>();
  return async (record, replaced, what, won, act, withIt) => {
    const { orderId, revision, writeId } = record;
    const answered = operations.write(orderId, { replaced, revision }, writeId);
    // Where it is refused, any of the conditions may have failed: only that it was written is an answer.
    const answeredWithIt =
      withIt &&
      operations.write(
        withIt.orderId,
        { replaced: withIt.revision - 1, revision: withIt.revision },
        withIt.writeId,
      );
    const isAgain = unanswered.has(writeId);
    // A store that refuses a write refuses it each time, so its first try was not written.
    const isRefused = !isAgain && revision > 1 && faults.strike('write-refused');
    try {
      const answer = await machine.call({
        what,
        refusal: 'store-throttled',
        act: () => {
          outage.checkWrite(orderId);
          if (isRefused) throw new RefusedError('store-refused', 'The simulation: write-refused.');
          return act();
        },
      });
      answered(answer === won);
      if (answer === won && withIt !== undefined) {
        answeredWithIt?.(true);
        rules.committed(withIt);
      } else if (isAgain && withIt !== undefined) rules.unknown(withIt, machine);
      if (answer === won) rules.committed(record);
      // Another write may have followed: only the latest write can be recognised.
      else if (isAgain) rules.unknown(record, machine);
      return answer;
    } catch (error) {
      // It was not written, so that the outcome is known.
      if (error instanceof RefusedError) throw error;
      // Submitters repeat a submission with its key.
      if (isAgain || revision === 1) rules.unknown(record, machine);
      if (withIt !== undefined) rules.unknown(withIt, machine);
      unanswered.add(writeId);
      throw error;
    }
  };
}

function reader({ faults, unreadable }: SimStoreOptions) {
  return <Item>(
    orderIds: readonly OrderId[],
    itemOf: (orderId: OrderId) => Item | undefined,
  ): ReadonlyMap<OrderId, Item> => {
    const found = new Map<OrderId, Item>();
    for (const orderId of orderIds) {
      if (faults.strike('record-unreadable')) unreadable.strike(orderId);
      if (unreadable.includes(orderId)) {
        throw new CorruptDataError('record-corrupt', 'The simulation: record-unreadable.');
      }
      const item = itemOf(orderId);
      if (item !== undefined) found.set(orderId, item);
    }
    return found;
  };
}
