/** Concurrent reads and writes of one order: the responses must be linearizable. */
import { expect, test } from 'vitest';
import type { StateStore } from '#ports/state-store.ts';
import { contradictionIn, type OperationLog, operationLog } from '#sim/checks/operations.ts';
import { claimed, newOrder } from '../support/orders.ts';
import type { StoreUnderTest } from './state-store.ts';

const now = Date.UTC(2026, 0, 1);
const writers = 6;
const turns = 12;

const { order, record } = newOrder('one', now);
const { orderId } = record;

/** Reads the order and writes its next revision repeatedly. */
export async function race(store: StateStore, name: string, log: OperationLog): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const read = log.read(orderId);
    const latest = (await store.records([orderId]).catch(() => null))?.get(orderId);
    if (latest === undefined) continue;
    read(latest.revision);
    const next = {
      ...claimed(record, now, name, `${name}-${turn}`),
      revision: latest.revision + 1 + (turn % 3),
    };
    const commit = async () => {
      const written = log.write(
        orderId,
        { replaced: latest.revision, revision: next.revision },
        next.writeId,
      );
      written((await store.commit(next, latest.revision)) === 'committed');
    };
    await commit()
      .catch(commit)
      .catch(() => {});
  }
}

export async function begin(store: Pick<StateStore, 'create'>, log: OperationLog): Promise<void> {
  const created = log.write(orderId, { replaced: 0, revision: record.revision }, record.writeId);
  created((await store.create(order, record)) === 'created');
}

export const racers = Array.from({ length: writers }, (_, at) => `s-${at}`);

export function expectInOrder(log: OperationLog): void {
  const won = log.operations.filter((one) => one.kind === 'write' && one.won === true);
  expect(won.length).toBeGreaterThan(turns);
  expect(contradictionIn(log.operations)).toBeNull();
}

export function storeRace(name: string, open: () => Promise<StoreUnderTest>): void {
  test(`concurrent reads and writes are linearizable: ${name}`, async () => {
    const under = await open();
    const log = operationLog();
    await begin(under.store, log);
    await Promise.all(racers.map((racer) => race(under.store, racer, log)));
    expectInOrder(log);
    await under.close();
  });
}
