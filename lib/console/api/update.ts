/** What pages hear of the orders: one update of each order that has changed since the last batch. */
import type { Change } from './documents.ts';

/** The latest change of an order in a batch. */
export interface Update extends Change {
  /** The order was submitted since the last batch. It may have any revision by now. */
  readonly isNew: boolean;
}

/** @param earlier the update of the same order in this batch */
export function updateOf(change: Change, earlier: Update | undefined): Update {
  return { ...change, isNew: change.revision === 1 || earlier?.isNew === true };
}
