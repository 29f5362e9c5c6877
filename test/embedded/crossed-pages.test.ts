/** Where a damaged page leads back to an earlier one, each query that is read page by page ends, and the damage is reported. */
import { expect, test } from 'vitest';
import { allDue, allListed } from '../contracts/pages.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { opened, pagesCrossed, somewhere } from '../support/stored-data.ts';
import { undelivered } from '../support/undelivered.ts';

const now = Date.UTC(2026, 0, 1);
/** More than are deleted in one batch. */
const orders = 1_200;
const limit = 7;
const endless = /rows are not in order/;

/** Half of the orders have ended. */
async function stored(name: string, kept: 'first' | 'last' = 'first') {
  const path = somewhere();
  const { store } = opened(path);
  const made = Array.from({ length: orders }, async (_, at) => {
    const { order, record } = newOrder(`order-${at}`, now, 'shop', 'cart');
    await store.create(order, record);
    if (at % 2 === 0) return;
    let current = claimed(record, now);
    await store.commit(current);
    for (const step of ['east', 'west', 'roof']) {
      current = succeeded(current, step, now + 1);
      await store.commit(current);
    }
  });
  await Promise.all(made);
  store.close();
  pagesCrossed(path, name, kept);
  const { store: damaged, log } = opened(path);
  const reasons = () => log.lines.map(({ fields }) => String(fields['reason']));
  return { store: damaged, reasons };
}

test('of undelivered changes', async () => {
  const { store, reasons } = await stored('Changes');
  expect(() => undelivered(store)).toThrow(endless);
  expect(reasons()).toContainEqual(expect.stringMatching(endless));
});

test('of orders that are due, which the verification reports', async () => {
  const { store, reasons } = await stored('Due');
  const due = await allDue(store, { from: 0, to: 2 * now, limit: 2 });
  expect(due.length).toBeLessThan(orders / 2);
  const verification = store.verify();
  while (verification.next(orders));
  expect(reasons()).toContainEqual(expect.stringMatching(/index Due does not lead to order/));
});

test.each([
  ['all orders', 'Processes', {}],
  ['those of a correlation', 'Correlation', { correlationId: 'cart' }],
] as const)('a listing of %s', async (_, name, query) => {
  const { store, reasons } = await stored(name, 'last');
  const all = allListed(store, { processState: null, limit, ...query });
  await expect(all).rejects.toThrow(endless);
  expect(reasons()).toContainEqual(expect.stringMatching(endless));
});

test('the verification', async () => {
  const { store, reasons } = await stored('Processes');
  const verification = store.verify();
  let slices = 0;
  while (verification.next(limit) && slices < orders) slices += 1;
  expect(slices).toBeLessThan(orders);
  expect(reasons()).toContainEqual(expect.stringMatching(endless));
});

test('the deletion of ended orders, which begins again at the first one', async () => {
  const { store, reasons } = await stored('Processes');
  const deleteAll = async () => {
    for (let rounds = 0; rounds < orders; rounds += 1) {
      if (!(await store.deleteEnded(now + 1_000, now + 1_000)).hasMore) return;
    }
    throw new Error('no end');
  };
  await expect(deleteAll()).rejects.toThrow(endless);
  expect(reasons()).toContainEqual(expect.stringMatching(endless));
  expect(await store.deleteEnded(now + 1_000, now + 1_000)).toMatchObject({ hasMore: true });
});
