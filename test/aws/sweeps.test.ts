/** Sweeps by shard under leases, on a real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick } from '#roles/sweep-tick.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, newOrder } from '../support/orders.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const shards = 2;
const { sweepPage } = limits;
const yes = () => true;

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server.close());

let clock: VirtualClock;
let store: StateStore;
let coordination: Coordination;
let handedOver: number[];
let takes: number;

beforeEach(async () => {
  clock = virtualClock();
  handedOver = [];
  takes = 0;
  const tables = await createTables(server.client);
  store = dynamoStore({
    log: testLog(),
    client: server.client,
    tables,
    shards,
    sweepPeriodMs: second,
    keepEndedMs: second,
    clock: systemClock,
    random: systemRandom,
  });
  const real = dynamoCoordination(server.client, tables.coordination, {
    clock: systemClock,
    random: systemRandom,
  });
  coordination = {
    ...real,
    acquire(shard, lease, first) {
      takes += 1;
      return real.acquire(shard, lease, first);
    },
  };
});

let sweeps = 0;
function sweep(over: Partial<{ store: StateStore }> = {}) {
  sweeps += 1;
  const log = testLog();
  const used = over.store ?? store;
  const nobody = { send: async () => {} };
  return sweepTick({
    store: used,
    coordination,
    clock,
    holder: `sweep-${sweeps}`,
    leaseMs: 60 * second,
    lookAhead: async () => {},
    handOver: async (shard) => {
      handedOver.push(shard);
    },
    supervisor: supervisor({
      store: used,
      clock,
      log,
      outageAfterMs: 180 * second,
      transitions: transitions({
        store: used,
        // Waits between conflicts end at once.
        clock: { now: clock.now, after: systemClock.after },
        log,
        ids: systemIds(clock, `sweep-${sweeps}`),
        random: systemRandom,
        registry: workflowRegistry([house]),
        channels: { nudges: nobody, requests: nobody },
      }),
    }),
  });
}

/** Orders with both walls Running; past complete-by 10 s later. */
async function running(count: number): Promise<OrderId[]> {
  const ids = Array.from({ length: count }, (_, at) => orderId(`order-${at}`));
  for (let at = 0; at < count; at += 50) {
    await Promise.all(
      ids.slice(at, at + 50).map(async (id) => {
        const { order, record } = newOrder(id, clock.now());
        await store.create(order, record);
        await store.commit(claimed(record, clock.now()));
      }),
    );
  }
  return ids;
}

const failures = async (ids: readonly OrderId[]) =>
  [...(await store.records(ids)).values()].map(({ failureCount }) => failureCount);

test('without due orders a sweep needs no lease, and counts as completed', async () => {
  await running(3);
  expect(await sweep().tick()).toMatchObject({ found: 0, recovered: 0, handedOver: 0 });
  expect(takes).toBe(0);
  expect(await coordination.recall(shards)).toMatchObject({ sweptAt: clock.now() });
});

test('due orders are recovered under a lease, which is released', async () => {
  const ids = await running(6);
  clock.jump(12 * second);
  expect(await sweep().tick()).toMatchObject({ found: 6, recovered: 6, interrupted: 0 });
  expect(takes).toBeGreaterThan(0);
  expect((await coordination.recall(shards)).unfinished.size).toBe(0);
  expect(await failures(ids)).toEqual(ids.map(() => 2));
});

test('concurrent ticks have the effect of one (R11)', async () => {
  const ids = await running(20);
  clock.jump(12 * second);
  await Promise.all(Array.from({ length: 6 }, () => sweep().tick()));
  await sweep().tick();
  expect(await failures(ids)).toEqual(ids.map(() => 2));
});

describe('more than a page in a shard', () => {
  const count = sweepPage * shards + 100;

  test('is handed over, and the handed-over sweep finishes it', async () => {
    const ids = await running(count);
    clock.jump(12 * second);
    await sweep().tick();
    expect(handedOver.length).toBeGreaterThan(0);
    for (const shard of handedOver) await sweep().shard(shard, yes);
    expect(await failures(ids)).toEqual(ids.map(() => 2));
    expect((await coordination.recall(shards)).unfinished.size).toBe(0);
  });

  test('after an outage is interrupted to its end, however many ticks that takes (R20)', async () => {
    await sweep().tick();
    const ids = await running(count);
    clock.jump(2 * 3_600 * second);
    expect(await sweep().tick()).toMatchObject({ handedOver: shards, interrupted: 2 * sweepPage });
    // The hand-over sweeps neither: the next tick is a minute later.
    handedOver = [];
    expect((await coordination.recall(shards)).unfinished.size).toBe(shards);
    for (let ticks = 0; ticks < 3; ticks += 1) {
      clock.jump(60 * second);
      await sweep().tick();
    }
    expect(await failures(ids)).toEqual(ids.map(() => 0));
  });
});

test('a shard that another sweep holds is not swept until its lease ends', async () => {
  const ids = await running(8);
  clock.jump(12 * second);
  const lease = { holder: 'died', nowMs: clock.now(), leaseMs: 60 * second };
  for (const shard of [0, 1]) await coordination.acquire(shard, lease, noMemory);
  expect(await sweep().tick()).toMatchObject({ recovered: 0 });
  clock.jump(61 * second);
  expect(await sweep().tick()).toMatchObject({ recovered: 8 });
  expect(await failures(ids)).toEqual(ids.map(() => 2));
});

test('a tick whose store fails is not remembered: the next one sees the outage (R20)', async () => {
  await sweep().tick();
  const before = clock.now();
  const ids = await running(4);
  clock.jump(60 * second);
  const broken: StateStore = {
    ...store,
    due: () => Promise.reject(new UnavailableError('aws-unavailable', 'The store is away.')),
  };
  await expect(sweep({ store: broken }).tick()).rejects.toThrow('away');
  expect(await coordination.recall(shards)).toMatchObject({ sweptAt: before });
  clock.jump(180 * second);
  expect(await sweep().tick()).toMatchObject({ interrupted: 4, recovered: 4 });
  expect(await failures(ids)).toEqual(ids.map(() => 0));
});

test('an instant that no right clock wrote is found within the hour (R14)', async () => {
  await sweep().tick();
  clock.jump(400 * 24 * 3_600 * second);
  const [id = orderId('none')] = await running(1);
  clock.jump(-400 * 24 * 3_600 * second);
  clock.jump(3_600 * second);
  await sweep().tick();
  expect((await store.records([id])).get(id)?.processState).toBe('Pending');
});
