/** Whole numbers in texts from a query, an environment or a command line. */
import * as z from 'zod';

const digits = /^(0|[1-9]\d{0,15})$/;

/**
 * A schema of a whole number, or of a text of decimal digits. `Number` alone would also accept `0x10`, `1e1`, blanks and
 * an empty text.
 */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && digits.test(value) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
}
