/** The end of a process with calls of an agent in flight. */
import { expect, test } from 'vitest';
import type { Breaker } from '#ports/breaker.ts';
import { freeBreaker } from '../support/breakers.ts';
import { type KitchenOptions, kitchen, never, served } from './kitchen.ts';

const endpoints = [{ url: 'https://a.example' }, { url: 'https://b.example' }];
const free = freeBreaker();
const probing: Breaker = {
  ...free,
  async admit(request) {
    const admission = await free.admit(request);
    return 'gate' in admission ? admission : { ...admission, isProbe: true };
  },
};

test.each<[string, object, KitchenOptions]>([
  ['a call', {}, {}],
  ['a call to one of several endpoints', { endpoints }, {}],
  ['a probe', {}, { breaker: probing }],
])(
  '%s that is in flight at the close gets its signal aborted, and neither reply nor failure',
  async (_, more, options) => {
    const { run, calls, close, replies, log, clock } = kitchen(never, more, options);
    const running = run();
    await clock.advance(10);
    const signal = calls[0]?.call.signal;
    expect(signal?.aborted).toBe(false);
    close();
    expect(signal?.aborted).toBe(true);
    expect(await running).toEqual({ kind: 'done' });
    await clock.advance(20_000);
    expect({ calls: calls.length, replies, lines: log.lines }).toEqual({
      ...{ calls: 1, replies: [], lines: [] },
    });
  },
);

test('code that answers because its signal was aborted has no reply', async () => {
  const { run, close, replies, clock } = kitchen(
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ plate: 'half of a soup' }));
      }),
  );
  const running = run();
  await clock.advance(10);
  close();
  await running;
  expect(replies).toEqual([]);
});

test('an attempt that waits between two calls makes no other one', async () => {
  const { run, calls, close, clock } = kitchen(async () => {
    throw new Error('try later');
  });
  const running = run();
  await clock.advance(10);
  close();
  await running;
  await clock.advance(20_000);
  expect(calls).toHaveLength(1);
});

test('after the close nothing is called', async () => {
  const { run, calls, close } = kitchen(served);
  close();
  expect(await run()).toEqual({ kind: 'done' });
  expect(calls).toEqual([]);
});
