/** The state of a listing while pages are loaded and orders change. Each refresh loads all that is shown, because each row may have changed. */
import type { Answer } from '#console/api/answer.ts';
import type { Change, ListDocument, SummaryDocument } from '#console/api/documents.ts';
import type { Update } from '#console/api/update.ts';
import type { OrderQuery } from '#console/parts/page-paths.ts';

/** Orders that a listing shows: five requests for a refresh. */
export const shownMax = 1_000;

export interface Listing {
  /** Newest first. */
  readonly orders: readonly SummaryDocument[];
  /** The cursor after the last page; null at the end. */
  readonly cursor: string | null;
}

/** Orders of one page, and of one request at most. */
const pageSize = 50;
const requestMax = 200;
/** Of one refresh; pages of a filter may be short. The rows after them are loaded again by hand. */
const requestsMax = 10;

interface ReloadOptions {
  readonly get: (path: string) => Promise<Answer<ListDocument>>;
  readonly path: (cursor: string | null, limit: number) => string;
  /** The orders that are shown, of which each may have changed. */
  readonly shown: number;
}

/** As many orders as are shown, in whole pages, and at least one. */
export async function reload({ get, path, shown }: ReloadOptions): Promise<Answer<Listing>> {
  let listing: Listing = { orders: [], cursor: null };
  for (let requests = 1; ; requests += 1) {
    const pages = Math.max(1, Math.ceil((shown - listing.orders.length) / pageSize));
    const limit = Math.min(requestMax, pages * pageSize);
    const answer = await get(path(listing.cursor, limit));
    if (answer.kind !== 'ok') return answer;
    listing = nextPage(listing, answer.body);
    const isEnd = listing.cursor === null || listing.orders.length >= shown;
    if (isEnd || requests === requestsMax) return { kind: 'ok', body: listing };
  }
}

/**
 * A change that came while the listing was loaded again is newer than what was loaded.
 *
 * @param shown how many orders were shown when the reload began: those of a page that came meanwhile stay
 */
export function reloaded({ orders, cursor }: Listing, news: Listing, shown: number): Listing {
  const known = new Map(orders.map((order) => [order.orderId, order]));
  const newest = news.orders.map((order) => {
    const own = known.get(order.orderId);
    return own === undefined || isNewer(order, own) ? order : own;
  });
  const listing = { orders: newest, cursor: news.cursor };
  const added = orders.slice(shown);
  return added.length === 0 ? listing : nextPage(listing, { orders: added, cursor });
}

/** A row that has not changed stays the same object. One of a change does not say why a step is held, which the listing does. */
const isNewer = (loaded: SummaryDocument, own: SummaryDocument): boolean =>
  loaded.revision > own.revision ||
  (loaded.revision === own.revision && (loaded.held?.length ?? 0) > (own.held?.length ?? 0));

export function nextPage({ orders }: Listing, page: Listing): Listing {
  const known = new Set(orders.map(({ orderId }) => orderId));
  const fresh = page.orders.filter(({ orderId }) => !known.has(orderId));
  return { orders: [...orders, ...fresh], cursor: page.cursor };
}

/**
 * A change has less data than a summary. So listed orders are updated in place, and for
 * others the listing is loaded again. An order that no longer matches the filter stays until
 * then, so that no row jumps away under a pointer.
 */
export function changed(
  listing: Listing,
  changes: ReadonlyMap<string, Update>,
  query: OrderQuery,
): { readonly listing: Listing; readonly isStale: boolean } {
  const known = new Map(listing.orders.map((order) => [order.orderId, order]));
  let isChanged = false;
  const orders = listing.orders.map((order) => {
    const change = changes.get(order.orderId);
    if (change === undefined || change.revision <= order.revision) return order;
    isChanged = true;
    const { revision, processState, direction, priority, fault, actions, last } = change;
    const updatedAt = last?.at ?? order.updatedAt;
    // Why a step waits that is held since then is known when the listing is loaded again.
    const held = order.held?.filter(({ step }) => change.steps[step] === 'Held') ?? [];
    const { held: _, ...own } = order;
    const news = { revision, processState, direction, priority, fault, actions, updatedAt };
    return { ...own, ...news, ...(held.length > 0 && { held }) };
  });
  const isStale = [...changes.values()].some((change) => {
    const own = known.get(change.orderId);
    if (own === undefined) return mayFit(change, query);
    return mayHaveLeft(change, query) || isHeldAnew(change, own);
  });
  return { listing: isChanged ? { ...listing, orders } : listing, isStale };
}

/** True for a new order, or one that may have come under the filter by this change. */
function mayFit(change: Update, query: OrderQuery): boolean {
  const { state, workflow, agent, step, fault, held, within } = query;
  if (workflow !== '' && change.workflow !== workflow) return false;
  if (hasLeft(change, query)) return false;
  return change.isNew || [state, agent, step, fault, held, within].some((value) => value !== '');
}

/** A change does not name the agents for which an order is listed. */
const mayHaveLeft = (change: Change, query: OrderQuery): boolean =>
  query.agent !== '' || hasLeft(change, query);

function hasLeft(change: Change, { state, held, step, fault }: OrderQuery): boolean {
  if (held !== '' && !Object.values(change.steps).includes('Held')) return true;
  if (step !== '' && change.fault?.step !== step) return true;
  if (fault !== '' && change.fault?.code !== fault) return true;
  return state !== '' && change.processState !== state;
}

/** True where a step is held of which the listing has not said why. */
function isHeldAnew({ revision, steps }: Change, own: SummaryDocument): boolean {
  if (revision <= own.revision) return false;
  const known = new Set(own.held?.map(({ step }) => step));
  return Object.entries(steps).some(([step, state]) => state === 'Held' && !known.has(step));
}
