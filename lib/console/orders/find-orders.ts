/** All orders that match, page by page, up to a bound. */
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';

export type Found =
  | {
      readonly kind: 'found';
      readonly orders: readonly SummaryDocument[];
      /** False when more orders match than `max`. */
      readonly isComplete: boolean;
    }
  | { readonly kind: 'failed'; readonly answer: Exclude<Answer<ListDocument>, { kind: 'ok' }> };

interface Options {
  readonly get: (path: string) => Promise<Answer<ListDocument>>;
  readonly path: (cursor: string | null, limit: number) => string;
  /** Orders to find at most. */
  readonly max: number;
  /** Filters the listed orders. Default: all. */
  readonly accepts?: (order: SummaryDocument) => boolean;
  readonly onProgress?: (found: number) => void;
  readonly isStopped?: () => boolean;
}

/** Orders per request, the maximum of the API. */
const pageMax = 200;

export async function findOrders(options: Options): Promise<Found> {
  const { get, path, max, accepts = () => true, onProgress, isStopped = () => false } = options;
  // By id, because an order that is submitted meanwhile moves others to the next page, where they are listed again.
  const found = new Map<string, SummaryDocument>();
  let cursor: string | null = null;
  let isOn = true;
  while (isOn) {
    const answer: Answer<ListDocument> = await get(path(cursor, Math.min(max, pageMax)));
    if (answer.kind !== 'ok') return { kind: 'failed', answer };
    for (const order of answer.body.orders) if (accepts(order)) found.set(order.orderId, order);
    onProgress?.(found.size);
    // A cursor that points to itself would loop for ever.
    isOn = answer.body.cursor !== cursor && answer.body.cursor !== null;
    cursor = answer.body.cursor;
    if (found.size >= max || isStopped()) break;
  }
  const orders = [...found.values()].slice(0, max);
  return { kind: 'found', orders, isComplete: cursor === null && found.size <= max };
}
