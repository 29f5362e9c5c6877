/** The live orders that a former process left, and which of them are to be interrupted. */
import type { OrderId } from '#core/model/ids.ts';

/** See {@link formerOrders}. */
export interface FormerOrders {
  /** In due order. */
  readonly found: readonly OrderId[];
  /** The orders that are not interrupted yet. */
  readonly left: Set<OrderId>;
  /** Those whose interruption was tried, and failed although the store was available. */
  readonly uninterrupted: Set<OrderId>;
  add(orderId: OrderId): void;
  /** The next orders of `left`; after the last it starts again, with those that could not be written. */
  slice(max: number): readonly OrderId[];
  isHidden(orderId: OrderId): boolean;
  hidesAny(): boolean;
  /** Whether the order is to be interrupted. */
  readonly waits: (orderId: OrderId) => boolean;
}

/**
 * Hides every order from sweeps until each was tried once: to dispatch the interrupted ones earlier would delay the
 * recovery of the others.
 */
export function formerOrders(): FormerOrders {
  const found: OrderId[] = [];
  const left = new Set<OrderId>();
  const uninterrupted = new Set<OrderId>();
  let hidden: ReadonlySet<OrderId> = left;
  let passes = 0;
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
      if (next === 0 && passes === 0) hidden = new Set(found);
      const slice: OrderId[] = [];
      for (; next < found.length && slice.length < max; next += 1) {
        const orderId = found[next];
        if (orderId !== undefined && left.has(orderId)) slice.push(orderId);
      }
      if (next === found.length) {
        hidden = left;
        passes += 1;
        next = 0;
      }
      return slice;
    },
    // When nudges have interrupted the last ones, no slice comes to the end of them.
    isHidden: (orderId) => left.size > 0 && hidden.has(orderId),
    hidesAny: () => left.size > 0 && hidden.size > 0,
  };
}
