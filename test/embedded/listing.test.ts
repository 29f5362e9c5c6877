/** A listing by state looks at a bounded number of orders per page, and its pages together have every order once. */
import { expect, test } from 'vitest';
import type { ProcessState } from '#core/model/record.ts';
import { lookMax } from '#embedded/statements.ts';
import { allListed } from '../contracts/pages.ts';
import { claimed, newOrder } from '../support/orders.ts';
import { ended, opened } from '../support/stored-data.ts';

const now = Date.UTC(2026, 0, 1);
const orders = 2 * lookMax + 200;

/** Five orders that have ended, and then so many live ones of which every 2,000th is Processing. */
async function filled(live: number) {
  const { store } = opened(':memory:');
  for (let at = 0; at < 5; at += 1) await ended(store, `ended-${at}`);
  const ids: Record<'Processed' | 'Pending' | 'Processing', string[]> = {
    Processed: ['ended-4', 'ended-3', 'ended-2', 'ended-1', 'ended-0'],
    Pending: [],
    Processing: [],
  };
  const made: Promise<unknown>[] = [];
  for (let at = 0; at < live; at += 1) {
    const { order, record } = newOrder(`order-${at}`, now, null, 'cart');
    made.push(store.create(order, record));
    const isClaimed = at % 2_000 === 0;
    ids[isClaimed ? 'Processing' : 'Pending'].unshift(order.orderId);
    if (isClaimed) made.push(store.commit(claimed(record, now)));
  }
  await Promise.all(made);
  return { store, ids };
}

test('of many live orders, each page has a bound, and all pages together have every order', async () => {
  const { store, ids } = await filled(orders);
  for (const [state, limit] of [
    ['Processed', 2],
    ['Processing', 2],
    ['Processing', 200],
    ['Pending', 200],
  ] as const) {
    expect(await allListed(store, { processState: state, limit })).toEqual(ids[state]);
  }
  const cart = { correlationId: 'cart', limit: 200 };
  expect(await allListed(store, { processState: 'Processing', ...cart })).toEqual(ids.Processing);
  expect(await allListed(store, { processState: 'Processed', ...cart })).toEqual([]);
  const first = (processState: ProcessState, correlation: object = {}) =>
    store.list({ processState, limit: 200, cursor: null, ...correlation });
  const end = String(5 + orders + 1 - lookMax);
  expect(await first('Processed')).toEqual({ items: [], cursor: end });
  expect(await first('Processed', { correlationId: 'cart' })).toEqual({ items: [], cursor: end });
  expect(await first('Processing')).toMatchObject({ items: { length: 3 }, cursor: end });
});

test.each([
  ['the last one that a page looks at', lookMax - 5],
  ['one more', lookMax - 4],
])('a listing ends also where the oldest order is %s', async (_, live) => {
  const { store, ids } = await filled(live);
  expect(await allListed(store, { processState: 'Processed', limit: 10 })).toEqual(ids.Processed);
});

test('a page that looks for few leaves a turn to other work before the next one', async () => {
  const { store } = await filled(orders);
  const seen: string[] = [];
  setImmediate(() => seen.push('other work'));
  await store.list({ processState: 'Processed', limit: 1, cursor: null });
  seen.push('page');
  expect(seen).toEqual(['other work', 'page']);
});
