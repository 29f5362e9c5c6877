/** The orders that changed last; each keeps its place until newer ones replace it. */
import type { Change, SummaryDocument } from '#console/api/documents.ts';
import type { Update } from '#console/api/update.ts';

export type Flowing = Pick<
  Change,
  'orderId' | 'workflow' | 'revision' | 'processState' | 'direction' | 'fault'
> & {
  readonly at: string;
  /** Empty until a change of the order has them: a listing has none. */
  readonly steps: Change['steps'];
};

/** Newer revisions replace older ones where they stand; orders not yet there come in at the top. */
export function flowed(
  shown: readonly Flowing[],
  news: readonly Flowing[],
  max: number,
): readonly Flowing[] {
  const byId = new Map(news.map((order) => [order.orderId, order]));
  const kept = shown.map((order) => {
    const newer = byId.get(order.orderId);
    byId.delete(order.orderId);
    if (newer === undefined || newer.revision < order.revision) return order;
    // A change that was not seen may have changed them.
    const isSame = newer.revision === order.revision;
    return isSame && Object.keys(newer.steps).length === 0
      ? { ...newer, steps: order.steps }
      : newer;
  });
  const fresh = [...byId.values()].toSorted((a, b) => (a.orderId < b.orderId ? 1 : -1));
  return [...fresh, ...kept].slice(0, max);
}

/** An old order that moves is no news beside new ones, unless there is room. */
export function isNews(
  { orderId, isNew }: Update,
  shown: readonly Flowing[],
  max: number,
): boolean {
  return isNew || shown.length < max || shown.some((order) => order.orderId === orderId);
}

export const ofChange = ({ last, ...change }: Change): Flowing => ({
  ...change,
  at: last?.at ?? '',
});

export const ofSummary = (order: SummaryDocument): Flowing => ({
  orderId: order.orderId,
  workflow: order.workflow,
  revision: order.revision,
  processState: order.processState,
  direction: order.direction,
  fault: order.fault,
  at: order.updatedAt,
  steps: {},
});
