/**
 * A hanging service at scale: more overdue orders in one shard than its sweeps recover in time. `npm run
 * bench:sweep -- --orders 3000` runs it with more orders.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { endings, expectedEndings, hangingService, toTheEnd } from '../support/hanging-service.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

const attempts = 1;
const pageMax = 20;
const pages = 5;
/** The last page is not full: the sweep after it finds no more orders. */
const orders = pages * pageMax - 2;
/** A tick recovers one page, and its hand-over has time for one more. */
const pace = { attempts, pageMax, perSecond: 0.4 };

test('a shard that is unfinished for more than three periods has every failure counted', async () => {
  const world = await hangingService({ client: server.client, ...pace });
  await world.minute();
  await world.submit(orders);
  const minutes = await toTheEnd(world, 60);
  const unfinished = minutes.map((minute) => (minute.unfinished ? '-' : '|')).join('');
  expect(unfinished).toMatch(/-{3}/);
  expect(Math.max(...minutes.map(({ lagMs }) => lagMs))).toBeGreaterThan(180_000);
  expect(world.log.lines.some(({ event }) => event === 'sweep-behind')).toBe(true);
  const records = await world.records();
  expect(records).toHaveLength(orders);
  expect(endings(records)).toEqual(expectedEndings(attempts, 0));
});

test('an outage of 20 minutes is interrupted, in several ticks, and the hang after it is counted', async () => {
  const world = await hangingService({ client: server.client, ...pace });
  await world.minute();
  await world.submit(2 * pageMax);
  world.outage(20 * 60_000);
  const minutes = await toTheEnd(world, 60);
  expect(minutes.filter(({ interrupted }) => interrupted > 0).length).toBeGreaterThan(1);
  expect(endings(await world.records())).toEqual(expectedEndings(attempts, 1));
});
