/** However long a channel is away, few of its changes are in memory, and all are delivered in the end. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { changeOf } from '#core/model/change.ts';
import { orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { type ChangeFeedOptions, changeFeed } from '#in-process/change-feed.ts';
import { keptChanges } from '#in-process/kept-changes.ts';
import type { Outbox, StoredChange } from '#ports/outbox.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const keptMax = 10;
const channels = ['shop', 'inn'] as const;
type Channel = (typeof channels)[number];

/** Orders with response channels that may be away, or refuse some of the orders. */
function world() {
  const clock = virtualClock();
  const log = testLog();
  const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log });
  const away = new Set<Channel>();
  const refused = new Set<string>();
  const delivered: string[] = [];
  const deliver: ChangeFeedOptions['deliver'] = async (_, { change }) => {
    const of = { of: refused.has(change.orderId) ? 'message' : 'channel' } as const;
    const isAway = channels.some((name) => name === change.replyTo && away.has(name));
    if (isAway || of.of === 'message') throw new DeliveryError('webhook-refused', 'No.', of);
    delivered.push(`${change.orderId} ${change.sequence}`);
  };
  let count = 0;
  const live: ProcessRecord[] = [];
  return {
    ...{ clock, log, store, away, refused, delivered },
    start: (outbox: Outbox = store) => changeFeed({ outbox, deliver, clock, log, keptMax }),
    async accept(channel: Channel): Promise<string> {
      count += 1;
      const { order, record } = newOrder(`${channel}-${count}`, clock.now(), channel);
      await store.create(order, record);
      live.push(record);
      return order.orderId;
    },
    /** The second change of the order that was accepted first. */
    async claim(): Promise<void> {
      const [record] = live.splice(0, 1);
      if (record !== undefined) await store.commit(claimed(record, clock.now()));
    },
    async later(ms: number): Promise<void> {
      await clock.advance(ms);
      await settled();
    },
    sent: async () => changesOf(store, count),
  };
}

/** Every change that there was, by order. */
async function changesOf(store: SqliteStore, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (const channel of channels) {
    for (let at = 1; at <= count; at += 1) {
      const id = orderId(`${channel}-${at}`);
      const record = (await store.records([id])).get(id);
      for (let sequence = 1; sequence <= (record?.revision ?? 0); sequence += 1)
        all.push(`${id} ${sequence}`);
    }
  }
  return all;
}

const sequences = (delivered: readonly string[], id: string) =>
  delivered.filter((what) => what.startsWith(`${id} `)).map((what) => Number(what.split(' ')[1]));

test('every change is delivered once and in sequence, whatever is away, and whenever Reeve starts', async () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...channels).map((channel) => ({ accept: channel })) },
    { weight: 5, arbitrary: fc.constant({ claim: true }) },
    { weight: 2, arbitrary: fc.constantFrom(...channels).map((channel) => ({ toggle: channel })) },
    { weight: 1, arbitrary: fc.constant({ restart: true }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 5, 700, 40_000).map((ms) => ({ wait: ms })) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { away, ...of } = world();
      let feed = of.start();
      for (const one of steps) {
        if ('accept' in one) await of.accept(one.accept);
        if ('claim' in one) await of.claim();
        if ('wait' in one) await of.later(one.wait);
        if ('toggle' in one && !away.delete(one.toggle)) away.add(one.toggle);
        if (!('restart' in one)) continue;
        await settled();
        feed.stop();
        feed = of.start();
      }
      away.clear();
      for (let at = 0; at < 40; at += 1) await of.later(30_000);
      const sent = await of.sent();
      expect(of.delivered.toSorted()).toEqual(sent.toSorted());
      for (const id of new Set(sent.map((what) => what.split(' ')[0] ?? ''))) {
        const inSequence = sequences(of.delivered, id);
        expect(inSequence).toEqual(inSequence.toSorted((a, b) => a - b));
      }
      expect(feed.channels().every(({ undelivered }) => undelivered === 0)).toBe(true);
      expect(of.store.changes(0, 5)).toEqual({ entries: [], next: null });
      feed.stop();
      of.store.close();
    }),
    { numRuns: 100 },
  );
});

test('while a channel is away, its further changes are left in the outbox, and another channel gets its own', async () => {
  const { away, delivered, store, start, accept, later } = world();
  onTestFinished(() => store.close());
  away.add('shop');
  let kept = 0;
  const outbox: Outbox = {
    ...store,
    changes(after, limit) {
      const page = store.changes(after, limit);
      kept += page.entries.length;
      return page;
    },
  };
  const feed = start(outbox);
  onTestFinished(feed.stop);
  for (let at = 0; at < 100; at += 1) await accept('shop');
  await accept('inn');
  await later(60_000);
  expect(delivered).toEqual(['inn-101 1']);
  expect(feed.channels().map(({ undelivered }) => undelivered)).toEqual([100, 0]);
  expect(kept).toBe(0);
  away.clear();
  await later(60_000);
  expect(delivered).toHaveLength(101);
  // All but those that were in memory were read again.
  expect(kept).toBeGreaterThanOrEqual(90);
});

test('a change that was read from the outbox before its commit is notified is taken once', () => {
  const clock = virtualClock();
  const change = (seq: number): StoredChange => {
    const of = changeOf(null, newOrder(`o-${seq}`, 0, 'shop').record);
    if (of === null) throw new Error('A new order with a response channel is a change.');
    return { seq, change: of, audience: 'submitter' };
  };
  const taken: number[] = [];
  let waiting = 0;
  const kept = keptChanges({
    ...{ clock, keptMax: 2, waiting: () => waiting },
    page: () => ({ entries: [change(3), change(4)], next: null }),
    add({ seq }) {
      taken.push(seq);
      waiting += 1;
    },
  });
  for (const seq of [1, 2, 3]) kept.offer(change(seq));
  waiting = 0;
  kept.refill();
  waiting = 0;
  kept.offer(change(4));
  expect(taken).toEqual([1, 2, 3, 4]);
});

test('many orders that a receiver refuses delay no other', async () => {
  const { refused, delivered, store, start, accept, later } = world();
  onTestFinished(() => store.close());
  const feed = start();
  onTestFinished(feed.stop);
  for (let at = 1; at <= 5 * keptMax; at += 1) refused.add(`shop-${at}`);
  for (let at = 0; at < 5 * keptMax; at += 1) await accept('shop');
  const last = await accept('shop');
  await later(1_000);
  expect(delivered).toEqual([`${last} 1`]);
  refused.clear();
  await later(3_600_000);
  expect(delivered).toHaveLength(5 * keptMax + 1);
});

test('an outbox that cannot be read for a while is read again', async () => {
  const { log, delivered, store, start, accept, later, sent } = world();
  onTestFinished(() => store.close());
  for (let at = 0; at < 500; at += 1) await accept('inn');
  let fails = 0;
  const feed = start({
    ...store,
    changes(after, limit) {
      if (after > 0 && fails < 2) {
        fails += 1;
        throw new Error('The disk failed.');
      }
      return store.changes(after, limit);
    },
  });
  onTestFinished(feed.stop);
  // Those of the former process are not all counted yet.
  for (let at = 0; at < 20; at += 1) await accept('inn');
  await later(120_000);
  expect(delivered.toSorted()).toEqual((await sent()).toSorted());
  expect(feed.channels().map(({ undelivered }) => undelivered)).toEqual([0]);
  const failed = { event: 'delivery-failed', fields: { channel: null, error: 'The disk failed.' } };
  expect(log.lines.filter(({ event }) => event === 'delivery-failed')).toContainEqual(failed);
});
