/** Followers of events: their cost, and the memory that is released when they leave. */
import { expect, test } from 'vitest';
import type { ProcessRecord } from '#core/model/record.ts';
import {
  type FollowerLimits,
  type Following,
  followerLimits,
  followers,
} from '#http/routes/followers.ts';
import { eventOf, orderEvents } from '#http/routes/order-events.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const now = Date.UTC(2026, 0, 1);

function scenario(limits: Partial<FollowerLimits> = {}) {
  const clock = virtualClock(now);
  const listeners = new Set<(record: ProcessRecord) => void>();
  let written = 0;
  const eventsOf = orderEvents((...event) => {
    written += 1;
    return eventOf(...event);
  });
  const all = followers({
    clock,
    eventsOf,
    limits: { ...followerLimits, ...limits },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const everything: Following = {
    orderId: null,
    owner: 'ada',
    take(to, round) {
      const bytes = round.in({ key: '', has: () => true });
      if (bytes.byteLength > 0) to.push(bytes);
    },
  };
  return {
    ...{ clock, all, listeners, everything },
    written: () => written,
    happens(record: ProcessRecord) {
      for (const listener of listeners) listener(record);
      return record;
    },
    join(following: Following = everything) {
      const reader = all.follow(following);
      if (reader === null) throw new Error('there are too many');
      return reader;
    },
  };
}

/** The text sent so far, and whether the stream ended. */
function reading(body: ReadableStream<Uint8Array>) {
  const read = { text: '', isEnded: false };
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const all = async () => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      read.text += piece.value;
    }
    read.isEnded = true;
  };
  void all();
  return { read, cancel: () => reader.cancel() };
}

const record = (id: string) => newOrder(id, now).record;
const lived = (id: string): ProcessRecord[] => {
  const pending = record(id);
  const running = claimed(pending, now);
  return [pending, running, succeeded(running, 'east', now)];
};
const eventsIn = (text: string, name: string) => text.split(`event: ${name}\n`).length - 1;

test('each change is serialised once for all followers, and each of them receives it', async () => {
  for (const count of [1, 600]) {
    const world = scenario();
    const readers = Array.from({ length: count }, () => reading(world.join().body));
    for (const each of ['a', 'b'].flatMap(lived)) world.happens(each);
    await world.clock.advance(5_000);
    expect(world.written()).toBe(6);
    for (const { read } of readers) expect(eventsIn(read.text, 'order')).toBe(6);
  }
});

test('a round with few followers sends all their events at once', async () => {
  const world = scenario({ groupMax: 10, paceMs: 16 });
  let handed = 0;
  for (let at = 0; at < 25; at += 1) {
    world.join({ orderId: null, owner: 'ada', take: () => (handed += 1) });
  }
  world.happens(record('a'));
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await world.clock.advance(16);
    counts.push(handed);
  }
  expect(counts).toEqual([10, 20, 25, 25]);
});

test('when a round has too many changes, followers receive the latest of each order', async () => {
  const world = scenario({ changesPerRoundMax: 4 });
  const { read } = reading(world.join().body);
  for (const each of ['a', 'b', 'c'].flatMap(lived)) world.happens(each);
  await world.clock.advance(1_000);
  expect(read.text.match(/"orderId":"."|"revision":./g)).toEqual(
    ['a', 'b', 'c'].flatMap((id) => [`"orderId":"${id}"`, '"revision":3']),
  );
});

test('when a round has too many orders, a missed event gives the number left out', async () => {
  const world = scenario({ changesPerRoundMax: 4 });
  const { read } = reading(world.join().body);
  for (let at = 0; at < 10; at += 1) world.happens(record(`o-${at}`));
  await world.clock.advance(1_000);
  expect(eventsIn(read.text, 'order')).toBe(4);
  expect(read.text).toContain('event: missed\ndata: {"orders":6}\n');
  // The latest ones: the others are found by a new reading of the listing.
  expect(read.text.match(/"orderId":"o-\d"/g)).toEqual(
    [6, 7, 8, 9].map((at) => `"orderId":"o-${at}"`),
  );
});

test('a follower gets nothing that happened before it came', async () => {
  const world = scenario();
  const first = reading(world.join().body);
  world.happens(record('before'));
  await first.cancel();
  await settled();
  const { read } = reading(world.join().body);
  world.happens(record('after'));
  await world.clock.advance(1_000);
  expect(read.text.match(/"orderId":"\w+"/g)).toEqual(['"orderId":"after"']);
});

test('a follower with too many unread events is dropped with a reason and releases its memory; others stay', async () => {
  const world = scenario({ bufferBytesMax: 2_000 });
  const slow = world.join();
  const quick = reading(world.join().body);
  for (let at = 0; at < 20; at += 1) {
    world.happens(record(`o-${at}`));
    await world.clock.advance(100);
  }
  expect(world.all.count('ada')).toBe(1);
  expect(eventsIn(quick.read.text, 'order')).toBe(20);
  const late = reading(slow.body);
  await settled();
  expect(late.read).toMatchObject({ isEnded: true });
  expect(late.read.text).toMatch(/^event: dropped\ndata: \{"code":"too-slow"/);
});

test('the number of followers is limited; when one leaves, another may connect', async () => {
  const world = scenario({ followersMax: 2 });
  const first = reading(world.join().body);
  reading(world.join({ ...world.everything, owner: 'bob' }).body);
  expect(world.all.follow(world.everything)).toBeNull();
  await first.cancel();
  await settled();
  expect(world.all.follow(world.everything)).not.toBeNull();
});

test('one owner leaves places to others, and a stream that it closes is free again', async () => {
  const world = scenario({ followersMax: 100 });
  const take = (owner: string) => {
    const readers = [];
    for (;;) {
      const reader = world.all.follow({ ...world.everything, owner });
      if (reader === null) return readers;
      readers.push(reading(reader.body));
    }
  };
  const owners = ['a', 'b', 'c', 'd', 'e'];
  const taken = owners.map(take);
  expect(taken.map(({ length }) => length)).toEqual([90, 9, 1, 0, 0]);
  await taken[0]?.[0]?.cancel();
  await settled();
  expect(world.all.count('a')).toBe(89);
  expect(take('a')).toEqual([]);
  expect(take('d')).toHaveLength(1);
});

test('when all followers have left, no listener remains, and nothing is serialised', async () => {
  const world = scenario();
  const readers = Array.from({ length: 40 }, () => reading(world.join().body));
  expect(world.listeners.size).toBe(1);
  world.happens(record('a'));
  for (const { cancel } of readers) await cancel();
  expect(world.listeners.size).toBe(0);
  expect(world.all.count('ada')).toBe(0);
  await world.clock.advance(60_000);
  expect(world.written()).toBe(0);
  // Keep-alives would go on for ever.
  expect(world.clock.pending()).toBe(0);
});

test('each follower receives a keep-alive every 15 s, also while only others receive events', async () => {
  const world = scenario();
  const quiet = reading(
    world.join({ ...world.everything, orderId: record('a').orderId, take() {} }).body,
  );
  const other = reading(world.join().body);
  for (let at = 0; at < 32; at += 1) {
    world.happens(record(`o-${at}`));
    await world.clock.advance(1_000);
  }
  expect(quiet.read.text).toBe(':\n\n:\n\n');
  expect(eventsIn(other.read.text, 'order')).toBe(32);
});

test('orders without followers cost nothing', async () => {
  const world = scenario();
  let rounds = 0;
  world.join({ orderId: record('a').orderId, owner: 'ada', take: () => (rounds += 1) });
  for (let at = 0; at < 10; at += 1) world.happens(record(`o-${at}`));
  await world.clock.advance(1_000);
  expect(rounds).toBe(0);
  world.happens(record('a'));
  await world.clock.advance(1_000);
  expect(rounds).toBe(1);
});
