import { expect, onTestFinished, test } from 'vitest';
import type { StatusMessage } from '#core/codec/status-message.ts';
import { type Audience, type Change, changeOf } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import { agentName, stepName } from '#core/model/ids.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import { type ChangeFeedOptions, changeFeed } from '#in-process/change-feed.ts';
import type { StoredChange } from '#ports/outbox.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, next } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

function feed(tellOf: (audience: Audience, change: Change) => Promise<void>) {
  const deliver: ChangeFeedOptions['deliver'] = (audience, status) =>
    tellOf(audience, status.change);
  const clock = virtualClock();
  const log = testLog();
  const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log });
  onTestFinished(() => store.close());
  const start = () => {
    const started = changeFeed({ outbox: store, deliver, clock, log });
    onTestFinished(started.stop);
    return started;
  };
  return {
    clock,
    log,
    store,
    start,
    /** Two changes: Pending, Processing. */
    async order(id: string, replyTo: string | null) {
      const { order, record } = newOrder(id, clock.now(), replyTo);
      await store.create(order, record);
      const running = claimed(record, clock.now());
      await store.commit(running);
      await settled();
      return running;
    },
  };
}

const refused = (of: 'message' | 'channel', retryAfterMs: number | null = null) =>
  new DeliveryError('webhook-refused', 'No.', { of, retryAfterMs });
const waitsOf = (instants: readonly number[]) =>
  instants.slice(1).map((at, before) => at - (instants[before] ?? 0));

test('the changes of an order are delivered in sequence, each once', async () => {
  const delivered: string[] = [];
  const { order, start } = feed(async (_, { orderId, sequence }) => {
    delivered.push(`${orderId} ${sequence}`);
  });
  start();
  await order('one', 'shop');
  await order('two', 'shop');
  expect(delivered).toEqual(['one 1', 'one 2', 'two 1', 'two 2']);
});

test('sixteen orders are delivered at once, and the changes of each in sequence', async () => {
  const open: { readonly what: string; readonly answer: () => void }[] = [];
  const { order, start } = feed((_, { orderId, sequence }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open.push({ what: `${orderId} ${sequence}`, answer: resolve });
    return promise;
  });
  start();
  for (let at = 1; at <= 18; at += 1) await order(`o-${at}`, 'shop');
  expect(open.map(({ what }) => what)).toEqual(
    Array.from({ length: 16 }, (_, at) => `o-${at + 1} 1`),
  );
  open[0]?.answer();
  await settled();
  expect(open.slice(16).map(({ what }) => what)).toEqual(['o-17 1']);
  while (open.length > 0) {
    for (const { answer } of open.splice(0)) answer();
    await settled();
  }
});

test('a channel that fails is retried with growing waits, and loses nothing', async () => {
  const tried: number[] = [];
  const delivered: number[] = [];
  const { order, clock, start } = feed(async (_, { sequence }) => {
    tried.push(clock.now());
    if (tried.length < 10) throw new Error('not now');
    delivered.push(sequence);
  });
  start();
  await order('one', 'shop');
  await clock.advance(600_000);
  expect(delivered).toEqual([1, 2]);
  expect(waitsOf(tried).slice(0, 9)).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('a channel that fails is retried with one order at a time, and a different one each time', async () => {
  const tried: string[] = [];
  let works = false;
  const { order, clock, start } = feed(async (_, { orderId, sequence }) => {
    tried.push(`${orderId} ${sequence}`);
    if (!works) throw refused('channel');
  });
  start();
  for (const id of ['one', 'two', 'three']) await order(id, 'shop');
  await clock.advance(500 + 1_000 + 2_000);
  expect(tried).toEqual(['one 1', 'one 1', 'two 1', 'three 1']);
  works = true;
  await clock.advance(4_000);
  expect(tried.slice(4)).toEqual(['one 1', 'two 1', 'three 1', 'one 2', 'two 2', 'three 2']);
});

test.each([
  ['longer', 5_000, 5_000],
  ['shorter than the wait', 100, 500],
  ['unreasonably long', 86_400_000, 3_600_000],
])('a channel that asks for a pause %s gets it within bounds', async (_, asked, waited) => {
  const tried: number[] = [];
  const { order, clock, start } = feed(async () => {
    tried.push(clock.now());
    if (tried.length === 1) throw refused('channel', asked);
  });
  start();
  await order('one', 'shop');
  await clock.advance(3_600_000);
  expect(waitsOf(tried.slice(0, 2))).toEqual([waited]);
});

test('a rejected message delays only its own order, and is retried without a limit', async () => {
  const tried: number[] = [];
  const delivered: string[] = [];
  let accepts = false;
  const { order, clock, start } = feed(async (_, { orderId, sequence }) => {
    if (orderId === 'one' && !accepts) {
      tried.push(clock.now());
      throw refused('message');
    }
    delivered.push(`${orderId} ${sequence}`);
  });
  start();
  await order('one', 'shop');
  await order('two', 'shop');
  expect(delivered).toEqual(['two 1', 'two 2']);
  await clock.advance(7 * 86_400_000);
  expect(Math.max(...waitsOf(tried))).toBe(3_600_000);
  accepts = true;
  await clock.advance(3_600_000);
  expect(delivered.slice(2)).toEqual(['one 1', 'one 2']);
});

test('a channel that fails delays no other', async () => {
  const delivered: string[] = [];
  const { order, start } = feed(async (_, { replyTo, sequence }) => {
    if (replyTo === 'broken') throw new Error('not now');
    delivered.push(`${replyTo} ${sequence}`);
  });
  start();
  await order('one', 'broken');
  await order('two', 'shop');
  expect(delivered).toEqual(['shop 1', 'shop 2']);
});

test('operators get one alert for an order whose response channel is down', async () => {
  const delivered: string[] = [];
  const { order, store, clock, start, log } = feed(async (audience, { orderId, sequence }) => {
    if (audience === 'submitter') throw new Error('not now');
    delivered.push(`${orderId} ${sequence}`);
  });
  const { stop } = start();
  await store.commit(failed(await order('one', 'shop'), clock.now()));
  await clock.advance(600_000);
  expect(delivered).toEqual(['one 3']);
  expect(log.lines.at(-1)).toMatchObject({
    event: 'notification-failed',
    fields: { orderId: 'one', channel: 'shop', error: 'not now' },
  });
  stop();
  start();
  await settled();
  expect(delivered).toEqual(['one 3']);
});

function failed(record: Awaited<ReturnType<ReturnType<typeof feed>['order']>>, at: number) {
  const fault = { code: 'refused', message: 'No.', effect: 'none' } as const;
  const ofAttempt = { step: stepName('east'), attempt: 1, agent: agentName('paint') };
  const stopped = next(record, { type: 'stepFailed', ...ofAttempt, fault }, at);
  return {
    ...stopped,
    processState: 'Error',
    lockedBy: null,
    fault: { ...fault, step: stepName('east'), action: 'perform' },
  } as const;
}

test('alerts are delivered in parallel, because their receiver groups them', async () => {
  const open: string[] = [];
  const { order, store, clock, start } = feed((audience, { orderId }) => {
    if (audience === 'operator') open.push(orderId);
    return new Promise(() => {});
  });
  start();
  const ids = Array.from({ length: 20 }, (_, at) => `o-${at}`);
  for (const id of ids) await store.commit(failed(await order(id, null), clock.now()));
  await settled();
  expect(open).toEqual(ids);
});

test.each([
  ['operator', null],
  ['submitter', 'shop'],
])('an undelivered message to the %s is logged with channel %s', async (deaf, channel) => {
  const { order, store, clock, start, log } = feed(async (audience) => {
    // A thrown value that is not an Error has no description.
    if (audience === deaf) await Promise.reject('no');
  });
  start();
  await store.commit(failed(await order('one', 'shop'), clock.now()));
  await settled();
  expect(log.lines[0]).toEqual({
    event: 'notification-failed',
    fields: { orderId: 'one', sequence: expect.any(Number), channel, error: 'unknown' },
  });
});

test('changes that are undelivered at a stop are delivered after the next start', async () => {
  const delivered: number[] = [];
  let works = false;
  const { order, clock, start } = feed(async (_, { sequence }) => {
    if (!works) throw new Error('not now');
    delivered.push(sequence);
  });
  const { stop } = start();
  await order('one', 'shop');
  stop();
  works = true;
  await clock.advance(60_000);
  expect(delivered).toEqual([]);
  start();
  await settled();
  expect(delivered).toEqual([1, 2]);
});

test('a change without an audience is not stored', async () => {
  const delivered: Change[] = [];
  const { order, start } = feed(async (_, change) => {
    delivered.push(change);
  });
  await order('one', null);
  start();
  await settled();
  expect(delivered).toEqual([]);
});

test('a retried message is the same message', async () => {
  const clock = virtualClock();
  const log = testLog();
  const tried: StatusMessage[] = [];
  let entered: ((stored: StoredChange) => void) | undefined;
  const { stop } = changeFeed({
    outbox: {
      changes: () => ({ entries: [], next: null }),
      watchChanges(listener) {
        entered = listener;
      },
      async deleteChange() {},
    },
    async deliver(_, status) {
      tried.push(status);
      if (tried.length < 3) throw refused('channel');
    },
    clock,
    log,
  });
  onTestFinished(stop);
  const change = changeOf(null, newOrder('one', 0, 'shop').record);
  if (change === null) throw new Error('A new order with a response channel is a change.');
  entered?.({ seq: 1, change, audience: 'submitter' });
  await clock.advance(60_000);
  expect(tried).toHaveLength(3);
  expect(new Set(tried).size).toBe(1);
});

test('a channel that fails for a quarter of an hour has one line in the log, and one when it works again', async () => {
  let works = false;
  const { order, clock, log, start } = feed(async (_, { replyTo }) => {
    if (!works && replyTo === 'shop')
      throw new DeliveryError('webhook-unreachable', 'It is down.', { of: 'channel' });
  });
  const { channels } = start();
  const since = clock.now();
  await order('one', 'shop');
  await order('two', 'other');
  await clock.advance(14 * 60_000);
  const lines = () => log.lines.filter(({ event }) => event.startsWith('channel-'));
  expect(lines()).toEqual([]);
  expect(channels()).toEqual([
    { name: 'shop', undelivered: 2, failingSince: since },
    { name: 'other', undelivered: 0, failingSince: null },
  ]);

  await clock.advance(60 * 60_000);
  const behind = {
    event: 'channel-behind',
    fields: {
      channel: 'shop',
      since: new Date(since).toISOString(),
      undelivered: 2,
      error: 'It is down.',
    },
  };
  expect(lines()).toEqual([behind]);

  works = true;
  await clock.advance(60_000);
  const over = { event: 'channel-caught-up', fields: { channel: 'shop', undelivered: 1 } };
  expect(lines()).toEqual([behind, over]);
  expect(channels()).toContainEqual({ name: 'shop', undelivered: 0, failingSince: null });
});

test('a channel that refuses one order for long is behind, although it accepts others', async () => {
  let works = false;
  const { order, clock, log, start } = feed(async (_, { orderId }) => {
    if (!works && orderId === 'one') throw refused('message');
  });
  start();
  await order('one', 'shop');
  for (let minute = 0; minute < 60; minute += 1) {
    await order(`other-${minute}`, 'shop');
    await clock.advance(60_000);
  }
  const events = () =>
    log.lines.map(({ event }) => event).filter((event) => event.startsWith('channel-'));
  expect(events()).toEqual(['channel-behind']);
  works = true;
  await clock.advance(2 * 3_600_000);
  expect(events()).toEqual(['channel-behind', 'channel-caught-up']);
});

test('a channel that is no longer registered is logged at once', async () => {
  const { order, log, start } = feed(async () => {
    throw new ReeveError('reply-to-unknown', 'Response channel shop is no longer registered.');
  });
  start();
  await order('one', 'shop');
  const behind = log.lines.filter(({ event }) => event === 'channel-behind');
  expect(behind).toMatchObject([{ fields: { channel: 'shop' } }]);
});
