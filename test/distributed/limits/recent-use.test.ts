/** How many slots of a rate an instance expects to use. */
import { expect, test } from 'vitest';
import { recentUse } from '#distributed/limits/recent-use.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

test('calls are expected as they came in the last second, and fewer and fewer when none comes', async () => {
  const clock = virtualClock();
  const use = recentUse(clock);
  expect(use.expected(1_000)).toBe(0);
  for (let call = 0; call < 1_000; call += 1) {
    use.add(1);
    await clock.advance(10);
  }
  // A hundred per second.
  expect(use.expected(1_000)).toBeGreaterThan(90);
  expect(use.expected(1_000)).toBeLessThan(110);
  expect(use.expected(500)).toBeCloseTo(use.expected(1_000) / 2);
  expect(use.expected(-1)).toBe(0);
  const before = use.expected(1_000);
  await clock.advance(1_000);
  expect(use.expected(1_000)).toBeCloseTo(before / Math.E);
  await clock.advance(20_000);
  expect(use.expected(1_000)).toBeLessThan(0.001);
});
