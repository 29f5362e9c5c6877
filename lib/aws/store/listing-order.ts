/**
 * The order of a listing, and a position in it that names no order. A caller that may see the orders of one tenant alone is given
 * positions that were reached by reading those of others. So a position is an instant between two orders; where both were submitted in the same
 * millisecond, also as many digits of a hash as it takes to come between them.
 */
import { createHash } from 'node:crypto';
import type { OrderId } from '#core/model/ids.ts';

/** An entry of an index. */
export interface Entry {
  readonly id: OrderId;
  /** 0 where all entries of the listing have one key. */
  readonly submittedAt: number;
  /** Orders those of one instant, which an index returns in any order: a hash of the id, hexadecimal. */
  readonly mark: string;
}

/** The listing continues with the orders of this instant whose marks are `from` or after it, and with all earlier ones. */
export interface Position {
  readonly at: number;
  readonly from: string;
}

/** Makes an entry. */
export const entryOf = (id: OrderId, submittedAt: number): Entry => ({
  id,
  submittedAt,
  mark: createHash('sha256').update(id).digest('hex'),
});

/** Newest first; a total order. */
export const inOrder = (one: Entry, other: Entry): number =>
  other.submittedAt - one.submittedAt || (one.mark < other.mark ? -1 : 1);

/** Whether the listing has not come to the entry yet. */
export const isAhead = ({ submittedAt, mark }: Entry, { at, from }: Position): boolean =>
  submittedAt < at || (submittedAt === at && mark >= from);

/** The position between two entries that follow one another. */
export function positionBetween(last: Entry, next: Entry): Position {
  if (next.submittedAt < last.submittedAt) {
    const apartMs = last.submittedAt - 1 - next.submittedAt;
    return { at: next.submittedAt + Math.floor(apartMs / 2), from: '' };
  }
  let digits = 1;
  while (next.mark.slice(0, digits) <= last.mark) digits += 1;
  return { at: next.submittedAt, from: next.mark.slice(0, digits) };
}
