/** What a function of the author answers for a key: of a singleton, or of a limit. */
import { inspect } from 'node:util';
import { readableError } from '#core/model/errors.ts';
import { placeOf, thrownText } from '../agents/failed-calls.ts';

/** A key, or null for none; or what is wrong with the function. */
export type KeyOutcome =
  | { readonly kind: 'key'; readonly key: string | null }
  | {
      readonly kind: 'wrong';
      /** `throws RangeError: no key`, or `returns 5, which is neither a text nor null`. */
      readonly does: string;
      readonly remedy: string;
      readonly error: unknown;
    };

/** Calls it. */
export function keyOutcome(call: () => unknown): KeyOutcome {
  try {
    const value = call();
    if (value === null || typeof value === 'string') return { kind: 'key', key: value };
    const does = `returns ${returnedText(value)}, which is neither a text nor null`;
    return { kind: 'wrong', does, remedy: 'Correct this function.', error: new TypeError(does) };
  } catch (thrown) {
    const error = readableError(thrown);
    const remedy = `Correct this function${placeOf(error)}.`;
    return { kind: 'wrong', does: `throws ${thrownText(error)}`, remedy, error };
  }
}

function returnedText(value: unknown): string {
  if (!(value instanceof Promise)) return inspect(value, { depth: 1 });
  // Its rejection, which no code waits for, would end the process.
  value.catch(() => {});
  return 'a promise';
}
