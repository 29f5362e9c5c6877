import { expect, onTestFinished, test } from 'vitest';
import type { Change } from '#core/change.ts';
import { changeFeed } from '#embedded/change-feed.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

function feed(tell: (change: Change) => Promise<void>) {
  const clock = virtualClock();
  const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log: testLog() });
  onTestFinished(() => store.close());
  const start = () => {
    const stop = changeFeed({ store, tell, clock, log: testLog() });
    onTestFinished(stop);
    return stop;
  };
  return {
    clock,
    store,
    start,
    async order(id: string, replyTo: string) {
      const { order, record } = newOrder(id, clock.now(), replyTo);
      await store.create(order, record);
      await store.commit(claimed(record, clock.now()));
      await settled();
    },
  };
}

test('changes are told one after the other, each once', async () => {
  const told: string[] = [];
  const { order, start } = feed(async ({ orderId, sequence }) => {
    told.push(`${orderId} ${sequence}`);
  });
  start();
  await order('one', 'shop');
  await order('two', 'shop');
  expect(told).toEqual(['one 1', 'one 2', 'two 1', 'two 2']);
});

test('a channel that fails is tried again, ever less often, and loses nothing', async () => {
  const tried: number[] = [];
  const told: number[] = [];
  const { order, clock, start } = feed(async ({ sequence }) => {
    tried.push(clock.now());
    if (tried.length < 5) throw new Error('not now');
    told.push(sequence);
  });
  start();
  await order('one', 'shop');
  await clock.advance(60_000);
  expect(told).toEqual([1, 2]);
  const waits = tried.slice(1, 5).map((at, before) => at - (tried[before] ?? 0));
  expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
});

test('a channel that fails holds up no other', async () => {
  const told: string[] = [];
  const { order, start } = feed(async ({ replyTo, sequence }) => {
    if (replyTo === 'broken') throw new Error('not now');
    told.push(`${replyTo} ${sequence}`);
  });
  start();
  await order('one', 'broken');
  await order('two', 'shop');
  expect(told).toEqual(['shop 1', 'shop 2']);
});

test('what was not told before a stop is told after the next start', async () => {
  const told: number[] = [];
  let works = false;
  const { order, clock, start } = feed(async ({ sequence }) => {
    if (!works) throw new Error('not now');
    told.push(sequence);
  });
  const stop = start();
  await order('one', 'shop');
  stop();
  works = true;
  await clock.advance(60_000);
  expect(told).toEqual([]);
  start();
  await settled();
  expect(told).toEqual([1, 2]);
});
