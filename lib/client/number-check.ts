/** The ranges of the numbers in the options of the client. */
import { ApiError } from './api-error.ts';

/** @throws {ApiError} `option-range` */
export function checkNumber(
  name: string,
  value: number,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  if (typeof value === 'number' && value >= from && value <= to) return;
  const range = to === Number.POSITIVE_INFINITY ? `${from} or more` : `from ${from} to ${to}`;
  throw new ApiError(`${name}, ${String(value)}, must be a number ${range}.`, {
    ...{ code: 'option-range', status: null },
  });
}
