/**
 * Cursors of listings: the cursor of the store, prefixed with a digest of its filters. With other filters, a cursor
 * would continue in the middle of another listing, and orders would be missing from it silently.
 */
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { digestOf } from '#http/digest.ts';
import { problem, Refusal } from '#http/problem.ts';

/** Hexadecimal digits of the digest: 32 bits are enough to detect mistakes; attacks do no harm. */
const markLength = 8;

export const cursorLengthMax = limits.cursorLengthMax + markLength;

export interface ListingCursor {
  /** @throws {Refusal} `cursor-invalid` for a cursor of other filters */
  read(given: string | undefined): string | null;
  written(cursor: string | null): string | null;
}

/** @param filters every parameter that decides which orders are listed */
export async function listingCursor(filters: JsonValue): Promise<ListingCursor> {
  const mark = (await digestOf(canonicalJson(filters))).slice(0, markLength);
  return {
    read(given) {
      if (given === undefined) return null;
      if (given.startsWith(mark)) return given.slice(markLength);
      throw new Refusal(
        problem(
          'cursor-invalid',
          'The cursor does not belong to a listing with these filters. Use the filters that it was given for, or start without a cursor.',
        ),
      );
    },
    written: (cursor) => (cursor === null ? null : `${mark}${cursor}`),
  };
}
