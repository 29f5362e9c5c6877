import { expect, test } from 'vitest';
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';
import { type Update, updateOf } from '#console/api/update.ts';
import { flowed, isNews, ofChange } from '#console/now/flow.ts';
import { changed, reload, reloaded } from '#console/orders/listing.ts';
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
const hold = (step: string) =>
  ({ step, agent: step, gate: 'circuit', since: at, until: at }) as const;
const declined: Update['fault'] = {
  code: 'declined',
  message: 'No',
  effect: 'none',
  step: 'charge',
  action: 'perform',
};
const ids = (orders: readonly { orderId: string }[]) =>
  orders.map(({ orderId }) => orderId).join('');

test('a change updates its order in place, and the others stay the same objects', () => {
  const before = { orders: [order('b'), order('a')], cursor: null };
  const { listing, isStale } = changed(before, batch(change('a')), all);
  expect(listing.orders[1]).toMatchObject({ processState: 'Processing', revision: 2 });
  expect(listing.orders[1]?.updatedAt).toBe('2026-01-01T00:00:09.000Z');
  expect(listing.orders[0]).toBe(before.orders[0]);
  expect(isStale).toBe(false);
});

test('of what an order waits for, a change leaves what is still held', () => {
  const held = [hold('charge'), hold('screen')];
  const before = { orders: [order('a', { held })], cursor: null };
  const after = (steps: Update['steps']) =>
    changed(before, batch(change('a', { steps })), all).listing.orders[0]?.held;
  expect(after({ charge: 'Held', screen: 'Running' })).toEqual([hold('charge')]);
  expect(after({ charge: 'Running', screen: 'Running' })).toBeUndefined();
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
  ['#/orders?state=Error', change('x', { isNew: true, processState: 'Pending' }), false],
  ['#/orders?agent=payment', change('x'), true],
  ['#/orders?held=true', change('x', { steps: { charge: 'Held' } }), true],
  ['#/orders?held=true', change('x', { isNew: true, steps: { charge: 'Running' } }), false],
  ['#/orders?held=true', change('b', { steps: { charge: 'Held' } }), false],
  ['#/orders?held=true', change('b', { steps: { charge: 'Running' } }), true],
  // Its last change is within that time now.
  ['#/orders?within=15m', change('x'), true],
  ['#/orders?within=15m', change('a'), false],
  ['#/orders?within=15m&workflow=boat', change('x'), false],
  // An order may leave each of these by a change.
  ['#/orders?fault=declined', change('a'), true],
  ['#/orders?fault=declined', change('a', { fault: declined }), false],
  ['#/orders?step=charge', change('a'), true],
  ['#/orders?step=charge', change('a', { fault: declined }), false],
  ['#/orders?agent=payment', change('a'), true],
  // Why it waits is in the listing alone.
  ['#/orders', change('a', { steps: { charge: 'Held' } }), true],
  ['#/orders', change('b', { steps: { charge: 'Held' } }), false],
  ['#/orders', change('b', { steps: { charge: 'Held', ship: 'Held' } }), true],
])('in %s, the listing is requested again only for some changes (%#)', (hash, news, stale) => {
  const before = { orders: [order('b', { held: [hold('charge')] }), order('a')], cursor: null };
  expect(changed(before, batch(news), query(hash)).isStale).toBe(stale);
});

const listingOf = (names: string, cursor: string | null = null) => ({
  orders: [...names].map((id) => order(id)),
  cursor,
});

/** A server with these orders, whose pages have `most` orders at most. */
function serverOf(names: readonly string[], most = 200) {
  const asked: string[] = [];
  const path = (cursor: string | null, limit: number) => `${cursor ?? 0} ${limit}`;
  const get = async (text: string): Promise<Answer<ListDocument>> => {
    asked.push(text);
    const [from = 0, limit = 0] = text.split(' ').map(Number);
    const end = from + Math.min(limit, most);
    const cursor = end < names.length ? String(end) : null;
    return { kind: 'ok', body: page(names.slice(from, end), cursor) };
  };
  return { get, path, asked };
}
const numbered = (count: number) => Array.from({ length: count }, (_, nth) => `o${nth}`);

test.each([
  [0, ['0 50']],
  [50, ['0 50']],
  [51, ['0 100']],
  [200, ['0 200']],
  [330, ['0 200', '200 150']],
  [1_000, ['0 200', '200 200', '400 200', '600 200', '800 200']],
])('a refresh of %i orders loads as many again, by few requests', async (shown, requests) => {
  const { asked, ...server } = serverOf(numbered(2_000));
  const answer = await reload({ ...server, shown });
  expect(asked).toEqual(requests);
  const loaded = answer.kind === 'ok' ? answer.body : null;
  expect(loaded?.orders.map(({ orderId }) => orderId)).toEqual(
    numbered(Math.max(50, Math.ceil(shown / 50) * 50)),
  );
  expect(loaded?.cursor).toBe(String(loaded?.orders.length));
});

test('a refresh ends where the orders end, at an outage, and where pages are too short', async () => {
  const few = serverOf(['b', 'a']);
  expect(await reload({ ...few, shown: 120 })).toMatchObject({ body: { cursor: null } });
  expect(few.asked).toHaveLength(1);
  const short = serverOf(numbered(400), 3);
  expect(await reload({ ...short, shown: 120 })).toMatchObject({ body: { cursor: '30' } });
  const get = async () => ({ kind: 'unreachable' }) as const;
  expect(await reload({ ...few, get, shown: 120 })).toEqual({ kind: 'unreachable' });
});

test('an order that no longer matches is no row after a refresh, on whichever page it was', () => {
  const shown = listingOf('fedcba', 'after-a');
  expect(reloaded(shown, listingOf('feda'), 6)).toEqual(listingOf('feda'));
  expect(ids(reloaded(shown, listingOf('z', 'after-z'), 6).orders)).toBe('z');
});

test('a page that comes during a refresh stays, with its cursor', () => {
  const grown = listingOf('dcba', 'after-a');
  const after = reloaded(grown, listingOf('edc', 'after-c'), 2);
  expect(ids(after.orders)).toBe('edcba');
  expect(after.cursor).toBe('after-a');
});

test('a change that comes during a refresh is not taken back', () => {
  const { listing } = changed(listingOf('ba'), batch(change('a')), all);
  const after = reloaded(listing, listingOf('cba'), 2);
  expect(after.orders[2]).toBe(listing.orders[1]);
  const news = { orders: [order('a', { revision: 3 })], cursor: null };
  expect(reloaded(listing, news, 2).orders[0]?.revision).toBe(3);
});

test('a refresh says what an order waits for that has been held since, and leaves the other rows as they are', () => {
  const steps = { charge: 'Held' } as const;
  const { listing } = changed(listingOf('ba'), batch(change('a', { steps })), all);
  expect(listing.orders[1]?.held).toBeUndefined();
  const held = [hold('charge')];
  const news = { orders: [order('b'), order('a', { revision: 2, held })], cursor: null };
  const after = reloaded(listing, news, 2);
  expect(after.orders[0]).toBe(listing.orders[0]);
  expect(after.orders[1]?.held).toEqual(held);
  expect(reloaded(after, structuredClone(news), 2).orders[1]).toBe(after.orders[1]);
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

test('an order that is read again late does not replace what is known of it', () => {
  const shown = flowed([], [ofChange(change('a', { revision: 3 }))], 3);
  expect(flowed(shown, [ofChange(change('a', { revision: 2 }))], 3)).toEqual(shown);
});
