/** One order that DynamoDB rejects, beside hundreds that it accepts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { type OrderId, orderId, schedulerId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { operator } from '#roles/operator.ts';
import { scheduler } from '#roles/scheduler.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { full, fullOrder } from '../support/full-order.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const healthyCount = 300;

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server.close());

/** Waits between conflicts end at once. */
const waits = { clock: systemClock, random: systemRandom };

/** A real server whose commits are recorded, with a Scheduler that handles every nudge. */
async function deployed() {
  const clock = virtualClock();
  const log = testLog();
  const tables = await createTables(server.client);
  const real = dynamoStore({
    log,
    client: server.client,
    tables,
    shards: 2,
    sweepPeriodMs: second,
    keepEndedMs: second,
    ...waits,
  });
  const stopped: ProcessRecord[] = [];
  const store: StateStore = {
    ...real,
    async commit(record, replaced) {
      const outcome = await real.commit(record, replaced);
      if (outcome === 'committed' && record.processState === 'Error') stopped.push(record);
      return outcome;
    },
  };
  const nudges: Nudge[] = [];
  const channels = {
    nudges: { send: async (sent: readonly Nudge[]) => void nudges.push(...sent) },
    requests: { send: async () => {} },
  };
  const ids = systemIds(clock, 'one');
  const registry = workflowRegistry([house, full]);
  const now = { now: clock.now, after: waits.clock.after };
  const own = transitions({ ...waits, store, clock: now, log, ids, registry, channels });
  const claims = scheduler({ id: schedulerId('one'), transitions: own, clock: now, log });
  const coordination = dynamoCoordination(server.client, tables.coordination, {
    clock: systemClock,
    random: systemRandom,
  });
  let sweeps = 0;
  const sweep = () => {
    sweeps += 1;
    const handedOver: number[] = [];
    const role = sweepTick({
      supervisor: supervisor({
        store,
        transitions: own,
        clock,
        log,
        outageAfterMs: 180 * second,
      }),
      store,
      coordination,
      clock,
      holder: `sweep-${sweeps}`,
      leaseMs: 60 * second,
      lookAhead: async () => {},
      handOver: async (shard) => void handedOver.push(shard),
    });
    return { role, handedOver };
  };
  return {
    clock,
    log,
    store,
    stopped,
    operator: operator(own),
    async sweepAll() {
      const { role, handedOver } = sweep();
      await role.tick();
      for (const shard of handedOver) await sweep().role.shard(shard, () => true);
    },
    async takeNudges() {
      const taken = nudges.splice(0);
      for (let at = 0; at < taken.length; at += 100)
        await claims.onNudges(taken.slice(at, at + 100));
    },
    recall: () => coordination.recall(2),
  };
}

test('an order that cannot be written as it should stops with one alert, and 300 others are counted to their end', async () => {
  const {
    clock,
    log,
    store,
    stopped,
    operator: person,
    sweepAll,
    takeNudges,
    recall,
  } = await deployed();
  const ids: OrderId[] = Array.from({ length: healthyCount }, (_, at) => orderId(`order-${at}`));
  for (let at = 0; at < ids.length; at += 50) {
    await Promise.all(
      ids.slice(at, at + 50).map(async (id) => {
        const { order, record } = newOrder(id, clock.now());
        await store.create(order, record);
        await store.commit(claimed(record, clock.now()));
      }),
    );
  }
  const { order, record, filled } = fullOrder('too-full', clock.now(), limits.itemBytesMax + 100);
  await store.create(order, record);
  await store.commit(filled);

  // Two tries, a cool-down, and two more: then the step is exhausted.
  for (const waitMs of [12, 12, 62, 12, 12, 12]) {
    clock.jump(waitMs * second);
    await sweepAll();
    expect(await recall()).toMatchObject({ sweptAt: clock.now(), unfinished: new Map() });
    await takeNudges();
  }

  const healthy = [...(await store.records(ids)).values()];
  expect(healthy).toHaveLength(healthyCount);
  expect(new Set(healthy.map(({ fault }) => fault?.code))).toEqual(new Set(['exhausted']));
  expect(new Set(healthy.map(({ direction }) => direction))).toEqual(new Set(['undo']));

  const { orderId: id } = order;
  const parked = (await store.records([id])).get(id);
  expect(parked).toMatchObject({ processState: 'Error', fault: { code: 'record-too-large' } });
  expect(parked?.history).toContainEqual(expect.objectContaining({ type: 'shortened' }));
  expect(stopped.map((one) => one.orderId)).toEqual([id]);
  const logged = log.lines.map(({ event }) => event);
  expect(logged).toContain('order-refused');
  expect(logged).not.toContain('order-unwritable');

  expect(await person.cancel(id, 'olga')).toMatchObject({ kind: 'done' });
  await takeNudges();
  expect((await store.records([id])).get(id)).toMatchObject({ direction: 'undo' });
}, 180_000);
