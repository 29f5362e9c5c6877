import { expect, test } from 'vitest';
import { gatheringChannel } from '#aws/gathering-channel.ts';
import { withinTime } from '#aws/within-time.ts';
import type { Delivery } from '#ports/delivery.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function gathering(send: (messages: readonly string[]) => Promise<void> = async () => {}) {
  const clock = virtualClock();
  const batches: (readonly string[])[] = [];
  const channel = gatheringChannel<string>({
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

test('what is sent within the wait leaves together', async () => {
  const { clock, batches, channel } = gathering();
  const sent = [channel.send(['a']), channel.send(['b'])];
  await clock.advance(9);
  expect(batches).toEqual([]);
  await clock.advance(1);
  await Promise.all(sent);
  expect(batches).toEqual([['a', 'b']]);
});

test('a full batch leaves at once', async () => {
  const { batches, channel } = gathering();
  await Promise.all([channel.send(['a']), channel.send(['b']), channel.send(['c'])]);
  expect(batches).toEqual([['a', 'b', 'c']]);
});

test('each sender learns what became of its own batch', async () => {
  const { clock, channel } = gathering(async (messages) => {
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
  const outcome = withinTime(never.promise, clock, 5_000);
  await clock.advance(4_499);
  await clock.advance(1);
  expect(await outcome).toEqual({ kind: 'retry' });
});

test('work that ends in time says how', async () => {
  const clock = virtualClock();
  expect(await withinTime(Promise.resolve({ kind: 'done' }), clock, 5_000)).toEqual({
    kind: 'done',
  });
});
