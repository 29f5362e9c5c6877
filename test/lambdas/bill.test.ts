/** What `npm run bill` says, for few orders. */
import { expect, test } from 'vitest';
import { billsByRate } from '../../bench/bill/by-rate.ts';
import { dollars } from '../../bench/bill/dollars.ts';
import { limitCosts } from '../../bench/bill/limits.ts';
import { consume } from '../../bench/bill/run.ts';

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

test('an order per second costs what single messages do, and a thousand hardly more than full batches', async () => {
  const full = await consume({ orders: 20, batchMax: 10, waveOrders: 20 });
  const single = await consume({ orders: 20, batchMax: 1 });
  const [fullTotal, singleTotal] = [full, single].map((used) =>
    Object.values(dollars(used)).reduce((sum, one) => sum + one, 0),
  );
  const bills = billsByRate(full, single).map((bill) => bill.dollarsPerMillionOrders);
  // Pollers that wait in vain, and what a log line more or less has.
  expect(bills[0]).toBeGreaterThan(0.98 * Number(singleTotal));
  expect(bills[0]).toBeLessThan(1.05 * Number(singleTotal));
  expect(bills.at(-1)).toBeGreaterThanOrEqual(0.99 * Number(fullTotal));
  expect(bills.at(-1)).toBeLessThan(1.1 * Number(fullTotal));
  expect(bills).toEqual(bills.toSorted((a, b) => b - a));
}, 120_000);
