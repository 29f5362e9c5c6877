/** All orders that match, page by page, up to a bound. */
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';

export type Found =
  | {
      readonly kind: 'found';
      readonly orders: readonly SummaryDocument[];
      /** False when more match than were asked for. */
      readonly isComplete: boolean;
    }
  | { readonly kind: 'failed'; readonly answer: Exclude<Answer<ListDocument>, { kind: 'ok' }> };

interface Options {
  readonly get: (path: string) => Promise<Answer<ListDocument>>;
  readonly path: (cursor: string | null, limit: number) => string;
  /** Orders to find at most. */
  readonly max: number;
  /** Which of those that the server lists are meant. Default: all. */
  readonly accepts?: (order: SummaryDocument) => boolean;
  readonly onProgress?: (found: number) => void;
  readonly isStopped?: () => boolean;
}

/** Of one request: what the API gives at most. */
const pageMax = 200;

export async function findOrders(options: Options): Promise<Found> {
  const { get, path, max, accepts = () => true, onProgress, isStopped = () => false } = options;
  // By id: an order that is submitted meanwhile moves others to the next page, where they come again.
  const found = new Map<string, SummaryDocument>();
  let cursor: string | null = null;
  let isOn = true;
  while (isOn) {
    const answer: Answer<ListDocument> = await get(path(cursor, Math.min(max, pageMax)));
    if (answer.kind !== 'ok') return { kind: 'failed', answer };
    for (const order of answer.body.orders) if (accepts(order)) found.set(order.orderId, order);
    onProgress?.(found.size);
    // A cursor that leads to itself would lead there for ever.
    isOn = answer.body.cursor !== cursor && answer.body.cursor !== null;
    cursor = answer.body.cursor;
    if (found.size >= max || isStopped()) break;
  }
  const orders = [...found.values()].slice(0, max);
  return { kind: 'found', orders, isComplete: cursor === null && found.size <= max };
}
