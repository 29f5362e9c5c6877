/** The state of a listing while pages are loaded and orders change. */
import type { Change, ListDocument, SummaryDocument } from '#console/api/documents.ts';
import type { Update } from '#console/api/update.ts';
import type { OrderQuery } from '#console/parts/page-paths.ts';

export interface Listing {
  /** Newest first. */
  readonly orders: readonly SummaryDocument[];
  /** The cursor after the last page; null at the end. */
  readonly cursor: string | null;
}

/** Merges a reload of the first page; the rows below it stay in place. */
export function firstPage({ orders, cursor }: Listing, page: ListDocument): Listing {
  const last = page.orders.at(-1);
  const at = last === undefined ? -1 : orders.findIndex(({ orderId }) => orderId === last.orderId);
  const isGrown = orders.length > page.orders.length && at >= 0;
  return isGrown
    ? { orders: [...page.orders, ...orders.slice(at + 1)], cursor }
    : { orders: page.orders, cursor: page.cursor };
}

export function nextPage({ orders }: Listing, page: ListDocument): Listing {
  const known = new Set(orders.map(({ orderId }) => orderId));
  const fresh = page.orders.filter(({ orderId }) => !known.has(orderId));
  return { orders: [...orders, ...fresh], cursor: page.cursor };
}

/**
 * A change has less data than a summary. So listed orders are updated in place, and for
 * others the first page is loaded again. An order that no longer matches the filter stays until
 * then, so that no row jumps away under a pointer.
 */
export function changed(
  listing: Listing,
  changes: ReadonlyMap<string, Update>,
  query: OrderQuery,
): { readonly listing: Listing; readonly isStale: boolean } {
  const met = new Set<string>();
  let isChanged = false;
  const orders = listing.orders.map((order) => {
    const change = changes.get(order.orderId);
    if (change === undefined) return order;
    met.add(order.orderId);
    if (change.revision <= order.revision) return order;
    isChanged = true;
    const { revision, processState, direction, priority, fault, actions, last } = change;
    const updatedAt = last?.at ?? order.updatedAt;
    return { ...order, revision, processState, direction, priority, fault, actions, updatedAt };
  });
  const isStale = [...changes.values()].some((change) =>
    met.has(change.orderId) ? hasLeft(change, query) : mayFit(change, query),
  );
  return { listing: isChanged ? { ...listing, orders } : listing, isStale };
}

/** True for a new order, or one that has just entered the state of the filter. */
function mayFit(change: Update, { state, workflow, step, fault }: OrderQuery): boolean {
  if (workflow !== '' && change.workflow !== workflow) return false;
  if (step !== '' && change.fault?.step !== step) return false;
  if (fault !== '' && change.fault?.code !== fault) return false;
  return state === '' ? change.isNew || fault + step !== '' : change.processState === state;
}

function hasLeft(change: Change, { state }: OrderQuery): boolean {
  return state !== '' && change.processState !== state;
}
