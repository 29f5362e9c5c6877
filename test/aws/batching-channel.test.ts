import { expect, test } from 'vitest';
import { beforeTimeout } from '#aws/before-timeout.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import type { Delivery } from '#ports/delivery.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function batching(send: (messages: readonly string[]) => Promise<void> = async () => {}) {
  const clock = virtualClock();
  const batches: (readonly string[])[] = [];
  const channel = batchingChannel<string>({
    clock,
    waitMs: 10,
    batchMax: 3,
    channel: {
      async send(messages) {
        batches.push(messages);
        await send(messages);
      },
    },
  });
  return { clock, batches, channel };
}

test('messages sent within the wait share a batch', async () => {
  const { clock, batches, channel } = batching();
  const sent = [channel.send(['a']), channel.send(['b'])];
  await clock.advance(9);
  expect(batches).toEqual([]);
  await clock.advance(1);
  await Promise.all(sent);
  expect(batches).toEqual([['a', 'b']]);
});

test('a full batch is sent at once', async () => {
  const { batches, channel } = batching();
  await Promise.all([channel.send(['a']), channel.send(['b']), channel.send(['c'])]);
  expect(batches).toEqual([['a', 'b', 'c']]);
});

test('messages that fill a batch by themselves are sent at once', async () => {
  const { clock, batches, channel } = batching();
  await channel.send(['a', 'b', 'c']);
  expect(batches).toEqual([['a', 'b', 'c']]);
  expect(clock.pending()).toBe(0);
});

test('messages after a full batch wait for their own time', async () => {
  const { clock, batches, channel } = batching();
  const first = channel.send(['a']);
  await clock.advance(5);
  await Promise.all([first, channel.send(['b', 'c'])]);
  const last = channel.send(['d']);
  await clock.advance(9);
  expect(batches).toEqual([['a', 'b', 'c']]);
  await clock.advance(1);
  await last;
  expect(batches).toEqual([['a', 'b', 'c'], ['d']]);
});

test('messages after a batch that was sent on time wait for their own time', async () => {
  const { clock, batches, channel } = batching();
  for (const message of ['a', 'b']) {
    const sent = channel.send([message]);
    await clock.advance(9);
    expect(batches.flat()).not.toContain(message);
    await clock.advance(1);
    await sent;
  }
  expect(batches).toEqual([['a'], ['b']]);
});

test('each sender receives the outcome of its own batch', async () => {
  const { clock, channel } = batching(async (messages) => {
    if (messages.includes('bad')) throw new Error('refused');
  });
  const bad = channel.send(['bad']).catch((error: Error) => error.message);
  await clock.advance(10);
  const good = channel.send(['good']);
  await clock.advance(10);
  expect(await bad).toBe('refused');
  await expect(good).resolves.toBeUndefined();
});

test('work that outlives its invocation is delivered again', async () => {
  const clock = virtualClock();
  const never = Promise.withResolvers<Delivery>();
  const outcome = beforeTimeout(never.promise, clock, 5_000);
  await clock.advance(4_499);
  await clock.advance(1);
  expect(await outcome).toEqual({ kind: 'retry' });
});

test.each([
  [5_000, 4_500],
  [500, 0],
  [100, 0],
])('with %i ms left, the wait for work is %i ms, and ends with the work', async (left, wait) => {
  const waits: number[] = [];
  let cancelled = 0;
  const clock = {
    now: () => 0,
    after(ms: number) {
      waits.push(ms);
      return () => {
        cancelled += 1;
      };
    },
  };
  expect(await beforeTimeout(Promise.resolve({ kind: 'done' }), clock, left)).toEqual({
    kind: 'done',
  });
  const failing = beforeTimeout(Promise.reject(new Error('no')), clock, left);
  await expect(failing).rejects.toThrow('no');
  expect(waits).toEqual([wait, wait]);
  expect(cancelled).toBe(2);
});

test('work that ends in time returns its outcome', async () => {
  const clock = virtualClock();
  expect(await beforeTimeout(Promise.resolve({ kind: 'done' }), clock, 5_000)).toEqual({
    kind: 'done',
  });
});
