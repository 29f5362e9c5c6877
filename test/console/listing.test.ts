import { expect, test } from 'vitest';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';
import { type Update, updateOf } from '#console/api/update.ts';
import { flowed, isNews, ofChange } from '#console/now/flow.ts';
import { changed, firstPage, nextPage } from '#console/orders/listing.ts';
import { type OrderQuery, routeOf } from '#console/parts/page-paths.ts';

const at = '2026-01-01T00:00:00.000Z';

const order = (orderId: string, more: Partial<SummaryDocument> = {}): SummaryDocument => ({
  ...{
    orderId,
    workflow: 'house',
    workflowVersion: 1,
    processState: 'Pending',
    direction: 'forward',
  },
  ...{ fault: null, priority: 'normal', tenant: null, correlationId: null, revision: 1 },
  ...{
    submittedAt: at,
    updatedAt: at,
    actions: { resubmit: null, correct: null, cancel: null, reprioritise: null },
  },
  ...more,
});
const change = (orderId: string, more: Partial<Update> = {}): Update => ({
  isNew: false,
  ...{ orderId, workflow: 'house', revision: 2, processState: 'Processing', direction: 'forward' },
  ...{
    priority: 'normal',
    fault: null,
    last: { at: '2026-01-01T00:00:09.000Z', type: 'claim' },
    steps: {},
  },
  actions: { resubmit: null, correct: null, cancel: null, reprioritise: null },
  ...more,
});
const page = (ids: readonly string[], cursor: string | null = null): ListDocument => ({
  orders: ids.map((id) => order(id)),
  cursor,
  asOf: at,
});
const batch = (...changes: Update[]) => new Map(changes.map((each) => [each.orderId, each]));

function query(hash: string): OrderQuery {
  const route = routeOf(hash);
  if (route.page !== 'orders') throw new Error(`${hash} is no listing`);
  return route.query;
}
const all = query('#/orders');
const ids = (orders: readonly { orderId: string }[]) =>
  orders.map(({ orderId }) => orderId).join('');

test('a change updates its order in place, and the others stay the same objects', () => {
  const before = firstPage({ orders: [], cursor: null }, page(['b', 'a']));
  const { listing, isStale } = changed(before, batch(change('a')), all);
  expect(listing.orders[1]).toMatchObject({ processState: 'Processing', revision: 2 });
  expect(listing.orders[1]?.updatedAt).toBe('2026-01-01T00:00:09.000Z');
  expect(listing.orders[0]).toBe(before.orders[0]);
  expect(isStale).toBe(false);
});

test('a change that is older than what is shown changes nothing', () => {
  const before = { orders: [order('a', { revision: 5 })], cursor: null };
  expect(changed(before, batch(change('a')), all).listing).toBe(before);
});

test.each([
  ['#/orders', change('x', { isNew: true, processState: 'Pending' }), true],
  ['#/orders', change('x', { revision: 7 }), false],
  ['#/orders?state=Error', change('x', { processState: 'Error' }), true],
  ['#/orders?state=Error', change('x'), false],
  ['#/orders?state=Pending', change('a'), true],
  ['#/orders?workflow=boat', change('x', { isNew: true }), false],
])('in %s, the first page is requested again only for some changes (%#)', (hash, news, stale) => {
  const before = { orders: [order('a')], cursor: null };
  expect(changed(before, batch(news), query(hash)).isStale).toBe(stale);
});

test('a new first page keeps the pages below it, and their cursor', () => {
  const first = firstPage({ orders: [], cursor: null }, page(['d', 'c'], 'after-c'));
  const both = nextPage(first, page(['b', 'a'], 'after-a'));
  const grown = firstPage(both, page(['e', 'd'], 'after-d'));
  expect(ids(grown.orders)).toBe('edcba');
  expect(grown.cursor).toBe('after-a');
});

test('a first page that shares nothing with what is shown replaces it', () => {
  const shown = { orders: [order('b'), order('a')], cursor: null };
  expect(ids(firstPage(shown, page(['z'], 'after-z')).orders)).toBe('z');
});

test('an old order is news if it is shown already, or if there is space', () => {
  const shown = [ofChange(change('a')), ofChange(change('b'))];
  const old = (orderId: string) => change(orderId, { revision: 9 });
  expect(isNews(old('a'), shown, 2)).toBe(true);
  expect(isNews(old('x'), shown, 2)).toBe(false);
  expect(isNews(old('x'), shown, 3)).toBe(true);
  expect(isNews(change('x', { isNew: true }), shown, 2)).toBe(true);
});

test('an order that was submitted since the last batch counts as new, also when it has changed since', () => {
  const first = updateOf(change('a', { revision: 1 }), undefined);
  expect(updateOf(change('a', { revision: 7 }), first)).toMatchObject({ revision: 7, isNew: true });
  expect(updateOf(change('a', { revision: 7 }), undefined).isNew).toBe(false);
});

test('new orders are added at the top, changed ones stay in place, and the last ones are removed', () => {
  const first = flowed([], [ofChange(change('a')), ofChange(change('b'))], 3);
  expect(ids(first)).toBe('ba');
  const next = flowed(first, [ofChange(change('a', { revision: 3 })), ofChange(change('c'))], 3);
  expect(ids(next)).toBe('cba');
  expect(next[2]?.revision).toBe(3);
  expect(ids(flowed(next, [ofChange(change('d'))], 3))).toBe('dcb');
});
