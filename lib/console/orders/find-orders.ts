/** All orders that match, page by page, up to a bound. */
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';

export type Found =
  | {
      readonly kind: 'found';
      readonly orders: readonly SummaryDocument[];
      /** False when more orders match than `max`. */
      readonly isComplete: boolean;
      /** Listed orders that `fits` left out. */
      readonly skipped: number;
      /** Where a further search begins; null when there is none. */
      readonly next: Start | null;
    }
  | { readonly kind: 'failed'; readonly answer: Exclude<Answer<ListDocument>, { kind: 'ok' }> };

/** A place in the listing, and orders before it that were found beyond `max`. */
export interface Start {
  readonly cursor: string | null;
  readonly found: readonly SummaryDocument[];
}

interface Options {
  readonly get: (path: string) => Promise<Answer<ListDocument>>;
  readonly path: (cursor: string | null, limit: number) => string;
  /** Orders to find at most. */
  readonly max: number;
  /** Filters the listed orders. Default: all. */
  readonly accepts?: (order: SummaryDocument) => boolean;
  /** Filters the accepted orders, and counts those that it leaves out. Default: all. */
  readonly fits?: (order: SummaryDocument) => boolean;
  /** Default: from the beginning of the listing. */
  readonly from?: Start;
  readonly onProgress?: (found: number) => void;
  readonly isStopped?: () => boolean;
}

/** Orders per request, the maximum of the API. */
const pageMax = 200;

export async function findOrders(options: Options): Promise<Found> {
  const { get, path, max, accepts = () => true, fits = () => true, from } = options;
  const { onProgress, isStopped = () => false } = options;
  // By id, because an order that is submitted meanwhile moves others to the next page, where they are listed again.
  const found = new Map((from?.found ?? []).map((order) => [order.orderId, order]));
  const skipped = new Set<string>();
  let cursor = from?.cursor ?? null;
  // A search that ended with orders beyond `max` has these alone left.
  let isOn = from === undefined || cursor !== null;
  while (isOn) {
    const answer: Answer<ListDocument> = await get(path(cursor, Math.min(max, pageMax)));
    if (answer.kind !== 'ok') return { kind: 'failed', answer };
    for (const order of answer.body.orders.filter(accepts)) {
      if (fits(order)) found.set(order.orderId, order);
      else skipped.add(order.orderId);
    }
    onProgress?.(found.size);
    // A cursor that points to itself would loop for ever.
    isOn = answer.body.cursor !== cursor && answer.body.cursor !== null;
    cursor = answer.body.cursor;
    // As many as `max` were listed: what is found of them is done first.
    if ((found.size > 0 && found.size + skipped.size >= max) || isStopped()) break;
  }
  const all = [...found.values()];
  const isComplete = cursor === null && all.length <= max;
  const isStuck = !isOn && cursor !== null;
  return {
    kind: 'found',
    orders: all.slice(0, max),
    isComplete,
    skipped: skipped.size,
    next: isComplete || isStuck ? null : { cursor, found: all.slice(max) },
  };
}
