import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#core/model/limits.ts';
import { backOffMs, delaySeconds, pause, redeliverAfterMs } from '#roles/delays.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** In [0, 1), as the port defines. */
const drawn = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policy = fc.record({
  firstMs: fc.integer({ min: 1, max: 10_000 }),
  maxMs: fc.integer({ min: 1, max: 1_000_000 }),
});

test.each([
  [undefined, 0],
  [0, 0],
  [-1, 0],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [limits.messageDelayMaxMs, 900],
  [limits.messageDelayMaxMs + 1, 900],
])(
  'a message that is to arrive in %s ms is delayed by %s s, so that it is never early',
  (ms, s) => {
    const now = 1_700_000_000_123;
    expect(delaySeconds(ms === undefined ? undefined : now + ms, now)).toBe(s);
  },
);

test('a delay is in whole milliseconds, in the upper half of a window that doubles up to its maximum', () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 2_000 }), drawn, (backOff, failures, chance) => {
      const window = Math.min(backOff.maxMs, backOff.firstMs * 2 ** Math.min(failures - 1, 30));
      const wait = backOffMs(backOff, failures, { next: () => chance });
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(window / 2);
      expect(wait).toBeLessThanOrEqual(Math.ceil(window));
    }),
  );
});

test('the random number spreads a delay over the whole upper half', () => {
  const backOff = { firstMs: 1_000, maxMs: 4_000 };
  expect([0, 0.5, 0.999_9].map((next) => backOffMs(backOff, 2, { next: () => next }))).toEqual([
    1_000, 1_500, 2_000,
  ]);
});

test.each([
  [1, 1_000, 2_000],
  [2, 2_000, 4_000],
  [3, 4_000, 8_000],
  [5, 10_000, 20_000],
  [100, 10_000, 20_000],
])('after %d receives a message is hidden for %d to %d ms', (receives, least, most) => {
  expect(redeliverAfterMs(receives, { next: () => 0 })).toBe(least);
  expect(redeliverAfterMs(receives, { next: () => 0.999_999 })).toBe(most);
});

/** True when a message that arrived at the start of an outage of the store is still in its queue at the end. */
function survives(outageMs: number, chances: readonly number[], failingMs: number): boolean {
  let draws = 0;
  const random = {
    next() {
      draws += 1;
      return chances[draws % chances.length] ?? 0;
    },
  };
  let now = 0;
  for (let receives = 1; receives <= limits.receivesMax; receives += 1) {
    if (now >= outageMs) return true;
    now += failingMs + redeliverAfterMs(receives, random);
  }
  return now >= outageMs;
}

test('an outage of the store of up to 15 minutes makes no message a dead letter', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 900_000 }),
      fc.array(drawn, { minLength: 1, maxLength: 20 }),
      // A refused call takes some milliseconds, one without an answer seconds.
      fc.integer({ min: 0, max: 7_000 }),
      (outageMs, chances, failingMs) => survives(outageMs, chances, failingMs),
    ),
  );
  expect(survives(975_000, [0], 0)).toBe(true);
  expect(survives(975_001, [0], 0)).toBe(false);
});

test('a pause ends when its time has passed, not earlier', async () => {
  const clock = virtualClock();
  let over = false;
  const pausing = pause(clock, 50).then(() => {
    over = true;
  });
  await clock.advance(49);
  expect(over).toBe(false);
  await clock.advance(1);
  await pausing;
  expect(over).toBe(true);
});
