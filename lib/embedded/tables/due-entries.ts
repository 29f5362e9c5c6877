/** The entries of the index of orders that are due, read page by page. */
import type { StatementSync } from 'node:sqlite';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { CorruptDataError, type UnreadableDataError } from '#core/model/errors.ts';
import { dueCursor, dueOf } from '#embedded/rows.ts';

export const dueEntriesSql = `
  SELECT DueAt, OrderID FROM Processes
  WHERE (DueAt, OrderID) > (?, ?) AND DueAt <= ?
  ORDER BY DueAt, OrderID LIMIT ?`;

/** What a page of the index is read for. */
export interface DueRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  /** That of the page before; null for the first page. */
  readonly cursor: string | null;
}

/** The intact entries of a page. */
export interface DueEntries {
  readonly entries: readonly ReturnType<typeof dueOf>[];
  /** Where the next page begins; null: this is the last one. */
  readonly cursor: string | null;
}

/**
 * It has an end on damaged pages, too: SQLite compares both columns with each row.
 *
 * @param onDamaged called with each entry that cannot be read, which is left out
 * @throws SQLite's error; {@link CorruptDataError} when no entry of a full page can be read, so that the next page has no beginning
 */
export function dueEntries(
  select: StatementSync,
  { from, to, limit, cursor }: DueRange,
  onDamaged: (error: UnreadableDataError) => void,
): DueEntries {
  const [at, id] = cursor === null ? [from, ''] : dueCursor(cursor);
  const rows = select.all(at, id, to, limit);
  const entries = decodeOrSkip(rows, dueOf, (_row, error) => onDamaged(error));
  if (rows.length < limit) return { entries, cursor: null };
  const last = entries.at(-1);
  if (last === undefined) {
    throw new CorruptDataError('row-damaged', `None of ${limit} entries can be read.`);
  }
  return { entries, cursor: `${last.DueAt}.${last.OrderID}` };
}
