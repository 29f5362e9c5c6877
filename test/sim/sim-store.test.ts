import { test } from 'vitest';
import type { StateStore } from '#ports/state-store.ts';
import { operationLog } from '#sim/checks/operations.ts';
import { storeOutage } from '#sim/faults/store-outage.ts';
import { simStore, unreadableRecords } from '#sim/ports/sim-store.ts';
import { type SimTable, simTable } from '#sim/ports/sim-table.ts';
import { machine } from '#sim/world/machine.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { linesContract } from '../contracts/lines.ts';
import { type StoreUnderTest, stateStoreContract } from '../contracts/state-store.ts';
import { stateStoreModel } from '../contracts/state-store-model.ts';
import { begin, expectInOrder, race, racers } from '../contracts/store-race.ts';
import { surroundings } from './support.ts';

const now = Date.UTC(2026, 0, 1);

const newTable = ({ timeline }: SimContext) =>
  simTable({
    now: timeline.now,
    shardsMax: 3,
    sweepPeriodMs: 60_000,
    indexLag: () => 0,
    onWrite() {},
  });

const over = (around: SimContext, table: SimTable) =>
  simStore({
    workMs: 0,
    table,
    shards: 3,
    machine: machine('m', around, () => {}),
    faults: around.faults,
    operations: operationLog(),
    rules: { committed() {}, unknown() {} },
    unreadable: unreadableRecords(around.timeline.now),
    outage: storeOutage(around),
  });

/** Advances time while a caller waits, as a world does. */
function moved(store: StateStore, { timeline }: SimContext): StateStore {
  const whileWaiting = async <Value>(answer: Promise<Value>): Promise<Value> => {
    const passed = timeline.runUntil(timeline.now() + 100);
    await Promise.allSettled([answer, passed]);
    return answer;
  };
  return {
    dueShards: store.dueShards,
    dueShardsMax: store.dueShardsMax,
    dueShardOf: store.dueShardOf,
    create: (order, record, line) => whileWaiting(store.create(order, record, line)),
    line: (name) => whileWaiting(store.line(name)),
    changeLine: (change) => whileWaiting(store.changeLine(change)),
    commit: (record, replaced) => whileWaiting(store.commit(record, replaced)),
    records: (ids) => whileWaiting(store.records(ids)),
    orders: (ids) => whileWaiting(store.orders(ids)),
    due: (query) => whileWaiting(store.due(query)),
    list: (query) => whileWaiting(store.list(query)),
  };
}

async function underTest(): Promise<StoreUnderTest> {
  const around = surroundings();
  const table = newTable(around);
  const open = (): StoreUnderTest => ({
    store: moved(over(around, table), around),
    reopen: async () => open(),
    close: async () => {},
  });
  return open();
}

stateStoreContract('the simulator’s', underTest);
linesContract('the simulator’s', underTest, 50);
stateStoreModel('the simulator’s', underTest, 150);

test('answers as if one operation came after the other, despite losses', async () => {
  const rates = { 'answer-lost': 0.2, 'retried-underneath': 0.2, 'store-throttled': 0.1 };
  const around = surroundings(rates);
  const table = newTable(around);
  const log = operationLog();
  await begin(
    { create: async (order, record) => table.create(order, record, { name: 'm', shards: 3 }) },
    log,
  );
  const all = Promise.all(racers.map((racer) => race(over(around, table), racer, log)));
  await around.timeline.runUntil(now + 3_600_000);
  await all;
  expectInOrder(log);
});
