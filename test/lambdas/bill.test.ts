/** What `npm run bill` says, for few orders. */
import { expect, test } from 'vitest';
import { allIn } from '../../bench/bill/all-in.ts';
import { billsByRate } from '../../bench/bill/by-rate.ts';
import { dollars } from '../../bench/bill/dollars.ts';
import { limitCosts } from '../../bench/bill/limits.ts';
import { otherOrders } from '../../bench/bill/other-orders.ts';
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
  const all = billsByRate(full, single);
  const bills = all
    .filter(({ windowSeconds }) => windowSeconds === 0)
    .map((bill) => bill.dollarsPerMillionOrders);
  // Pollers that wait in vain, and what a log line more or less has.
  expect(bills[0]).toBeGreaterThan(0.98 * Number(singleTotal));
  expect(bills[0]).toBeLessThan(1.05 * Number(singleTotal));
  expect(bills.at(-1)).toBeGreaterThanOrEqual(0.99 * Number(fullTotal));
  expect(bills.at(-1)).toBeLessThan(1.1 * Number(fullTotal));
  expect(bills).toEqual(bills.toSorted((a, b) => b - a));
  // Where batches are not full, a window fills them.
  const at10 = all.filter(({ ordersPerSecond }) => ordersPerSecond === 10);
  const byWindow = at10.map((bill) => bill.dollarsPerMillionOrders);
  expect(byWindow).toEqual(byWindow.toSorted((a, b) => b - a));
});

test('all in, an order costs its storage for the days kept, and its part of the sweeps, more', async () => {
  const used = await consume({ orders: 10, batchMax: 10, waveOrders: 10 });
  // One item of under 1 KB, and its entry in the index Recent, with 100 bytes more each.
  expect(used.stored.table / used.orders).toBeGreaterThan(900);
  expect(used.stored.table / used.orders).toBeLessThan(1_124);
  expect(used.stored.indexes / used.orders).toBeLessThan(200);
  expect(used.idleSweep.writeUnits).toBe(1);
  const { orders, storage, sweeps, total } = allIn(used);
  expect(total).toBeCloseTo(orders + storage + sweeps, 1);
  expect(allIn(used, { keepDays: 60 }).storage).toBeCloseTo(2 * storage, 1);
  expect(allIn(used, { ordersPerMonth: 10_000_000 }).sweeps).toBeCloseTo(sweeps / 10, 1);
});

test('orders that wait, take minutes or are undone cost more write units, and those of a bulk submission fewer requests', async () => {
  const { held, slow, undone, bulk } = await otherOrders(10);
  for (const batch of ['full', 'single'] as const) {
    expect(bulk[batch].writeUnits).toBeGreaterThanOrEqual(8);
    expect(slow[batch].writeUnits).toBeGreaterThan(bulk[batch].writeUnits);
    expect(undone[batch].writeUnits).toBeGreaterThan(bulk[batch].writeUnits);
    expect(held[batch].writeUnits).toBeGreaterThan(bulk[batch].writeUnits);
    expect(undone[batch].dollars).toBeGreaterThan(bulk[batch].dollars + 1);
  }
}, 240_000);
