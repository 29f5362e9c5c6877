/** The live orders that a former process left, and which of them are to be interrupted. */
import type { OrderId } from '#core/model/ids.ts';

/** See {@link formerOrders}. */
export interface FormerOrders {
  /** In due order. */
  readonly found: readonly OrderId[];
  /** The orders that are not interrupted yet: hidden from sweeps. */
  readonly left: Set<OrderId>;
  /** Those whose interruption was tried, and failed although the store was available. */
  readonly uninterrupted: Set<OrderId>;
  add(orderId: OrderId): void;
  /** The next orders of `left`; after the last it starts again, with those that could not be written. */
  slice(max: number): readonly OrderId[];
  /** Whether the order is to be interrupted. */
  readonly waits: (orderId: OrderId) => boolean;
}

/** None at first; `add` those that are found. */
export function formerOrders(): FormerOrders {
  const found: OrderId[] = [];
  const left = new Set<OrderId>();
  const uninterrupted = new Set<OrderId>();
  let next = 0;
  return {
    found,
    left,
    uninterrupted,
    waits: (orderId) => left.has(orderId) || uninterrupted.has(orderId),
    add(orderId) {
      found.push(orderId);
      left.add(orderId);
    },
    slice(max) {
      const slice: OrderId[] = [];
      for (; next < found.length && slice.length < max; next += 1) {
        const orderId = found[next];
        if (orderId !== undefined && left.has(orderId)) slice.push(orderId);
      }
      if (next === found.length) next = 0;
      return slice;
    },
  };
}
