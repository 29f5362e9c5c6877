/** What `npm run bill` says of limits, for few orders. */
import { expect, test } from 'vitest';
import { limitCosts } from '../../bench/bill/limits.ts';

test('a step costs one write unit for its limit, in batches a part of it, and an order without limits none', async () => {
  const { perStepWithRate, perStepWithAtOnce, perOrderWithout } = await limitCosts(10);
  for (const [{ full, single }, most] of [
    [perStepWithAtOnce, 1],
    // A call that a busy machine makes too late for its slot leases another one.
    [perStepWithRate, 2],
  ] as const) {
    expect(single).toBeGreaterThan(0);
    expect(single).toBeLessThanOrEqual(most);
    expect(full).toBeGreaterThan(0);
    expect(full).toBeLessThan(single);
  }
  expect(perOrderWithout).toEqual({ full: 0, single: 0 });
}, 240_000);
