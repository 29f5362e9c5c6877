/** The numbers of the undelivered changes, read page by page. */
import type { StatementSync } from 'node:sqlite';
import { assertOnward } from '#embedded/integrity/onward.ts';
import { numberOf } from '#embedded/rows.ts';

export const changeNumbersSql = 'SELECT Seq FROM Changes WHERE Seq > ? ORDER BY Seq LIMIT ?';

/**
 * The numbers after `after`, at most `limit`.
 *
 * @throws SQLite's error; {@link CorruptDataError} when the rows are not in order
 */
export function changeNumbers(select: StatementSync, after: number, limit: number): number[] {
  const found = select.all(after, limit).map(numberOf);
  assertOnward((found.at(-1) ?? Number.POSITIVE_INFINITY) > after);
  return found;
}
