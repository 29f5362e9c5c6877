/** The definitions that stored orders still need: those of the orders that go on. */
import { expect, test } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { orderId, schedulerId, writeId } from '#core/model/ids.ts';
import { liveDefinitions } from '#embedded/live-definitions.ts';
import { claimed, newOrder, next } from '../support/orders.ts';
import {
  accepted,
  ended,
  leafOf,
  opened,
  pageLost,
  somewhere,
  stored,
} from '../support/stored-data.ts';

const at = Date.UTC(2026, 0, 1);

test('there are none without data, and none of data without an order', () => {
  const path = somewhere();
  expect(liveDefinitions(path)).toEqual([]);
  opened(path).store.close();
  expect(liveDefinitions(path)).toEqual([]);
});

test('an order that has ended or is in Error needs none, and the others are counted by their definition', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await ended(store, 'processed');
  const { order, record } = newOrder('undone', at);
  await store.create(order, record);
  const asked = next(record, { type: 'cancel', by: 'ada' }, at);
  for (const each of [asked, claimed(asked, at)]) await store.commit(each);
  const stopped = newOrder('stopped', at);
  await store.create(stopped.order, stopped.record);
  const unknown = decide(stopped.record, { type: 'claim', by: schedulerId('s') }, null, at);
  if (unknown.kind === 'ignored') throw new RangeError(unknown.reason);
  await store.commit({ ...unknown.record, writeId: writeId('stopped.2') });
  const states = [...(await store.records(['processed', 'undone', 'stopped'].map(orderId)))];
  expect(states.map(([, { processState }]) => processState)).toEqual([
    'Processed',
    'Undone',
    'Error',
  ]);
  store.close();
  expect(liveDefinitions(path)).toEqual([]);

  const again = opened(path).store;
  await accepted(again, 'two', 'one');
  again.close();
  const { workflow, workflowVersion, fingerprint } = record;
  expect(liveDefinitions(path)).toEqual([
    { workflow, workflowVersion, fingerprint, orders: 2, first: 'one' },
  ]);
});

test('a lost page of orders leaves out those that are on it', async () => {
  const ids = Array.from({ length: 60 }, (_, order) => `order-${order}`);
  const path = await stored(...ids);
  const [all] = liveDefinitions(path);
  expect(all).toMatchObject({ orders: 60, first: 'order-0' });
  pageLost(path, leafOf(path, 'Processes'));
  const [left, ...others] = liveDefinitions(path);
  expect(others).toEqual([]);
  expect(left).toEqual({ ...all, orders: expect.any(Number), first: expect.any(String) });
  // A start opens these data, and reads the same orders.
  const { store } = opened(path);
  const read = await Promise.all(
    ids.map(async (id) =>
      store.records([orderId(id)]).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const count = read.filter((size) => size === 1).length;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(60);
  expect(left?.orders).toBe(count);
});
