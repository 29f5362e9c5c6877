/** Whether a query that is read page by page comes to an end. */
import { CorruptDataError } from '#core/model/errors.ts';

/**
 * Call it with whether the last row of a page is after the row that the page was to begin after. SQLite gives no other rows as long as
 * its own pages are intact; where a damaged page leads back to an earlier one, the query would have no end.
 *
 * @throws {CorruptDataError} `row-damaged`
 */
export function assertOnward(isOnward: boolean): void {
  if (isOnward) return;
  const reason = 'The rows are not in order: a page of the table or of its index is damaged.';
  throw new CorruptDataError('row-damaged', reason);
}
