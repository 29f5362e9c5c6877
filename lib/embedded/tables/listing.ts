/** Which orders a page of a listing has: a bounded number of rows is looked at per page, because nothing else runs meanwhile. */
import { assertOnward } from '#embedded/integrity/onward.ts';
import { listedOf, numberOf } from '#embedded/rows.ts';
import type { Statements } from '#embedded/statements.ts';
import type { ListQuery } from '#ports/state-store.ts';

/** The places of a page. */
export interface ListedPage {
  readonly rows: readonly ReturnType<typeof listedOf>[];
  /** The number below which the next page begins; null: this is the last one. */
  readonly next: number | null;
  /** Orders may match behind those that were looked at, although the page is not full. */
  readonly isShort: boolean;
}

/**
 * @param below the number below which the page begins
 * @throws {CorruptDataError} `row-corrupt`; `row-damaged` where a damaged page of SQLite leads back
 */
export function listedPage(sql: Statements, query: ListQuery, below: number): ListedPage {
  const { found, endOfLook } = looked(sql, query, below);
  const rows = found.map(listedOf);
  if (rows.length === query.limit) return { rows, next: onward(rows.at(-1)), isShort: false };
  const end = endOfLook?.();
  assertOnward((rows.at(-1)?.Seq ?? Number.NEGATIVE_INFINITY) < below);
  return end === undefined
    ? { rows, next: null, isShort: false }
    : { rows, next: onward(end), isShort: true };

  function onward(row: unknown): number {
    const next = numberOf(row);
    assertOnward(next < below);
    return next;
  }
}

interface Looked {
  readonly found: readonly unknown[];
  /** The row of the last order that was looked at; undefined: there is none after it. Left out where all orders were. */
  readonly endOfLook?: () => unknown;
}

function looked(sql: Statements, query: ListQuery, below: number): Looked {
  const { processState, correlationId, limit } = query;
  if (correlationId !== undefined) {
    return {
      found: sql.listByCorrelation.all(correlationId, below, processState, limit),
      endOfLook: () => sql.endByCorrelation.get(correlationId, below),
    };
  }
  switch (processState) {
    case null:
      return { found: sql.list.all(below, limit) };
    case 'Error':
    case 'Undone':
      return { found: sql.listAttention.all(processState, below, limit) };
    case 'Pending':
    case 'Processing':
      // Few live orders are found at once, however many have ended since.
      if (sql.manyLive.get() === undefined) {
        return { found: sql.listLive.all(processState, below, limit) };
      }
      return among(sql, processState, below, limit);
    case 'Processed':
      return among(sql, processState, below, limit);
  }
}

const among = (sql: Statements, state: string, below: number, limit: number): Looked => ({
  found: sql.listAmong.all(below, state, limit),
  endOfLook: () => sql.endAmong.get(below),
});
