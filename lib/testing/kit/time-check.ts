/** The ranges of the times in a test: a clock that is moved back, or by what is no number, would run nothing as it does in production. */
import { limits } from '#core/model/limits.ts';
import { KitError } from './kit-error.ts';

/** The longest time of a test, ms. */
export const testTimeMaxMs = 10 * 365 * 86_400_000;

/**
 * Checks a time, ms, and returns it.
 *
 * @param what begins the sentence of the error
 * @throws {KitError} `time-range`
 */
export function checkedTime(what: string, ms: number): number {
  return checked(what, ms, testTimeMaxMs);
}

/**
 * Checks the begin of the virtual time, ms since the epoch. Time enough for the whole test must follow.
 *
 * @throws {KitError} `time-range`
 */
export function checkedStart(startAt: number): number {
  return checked('The option startAt', startAt, limits.instantMaxMs - 2 * testTimeMaxMs);
}

function checked(what: string, ms: number, max: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= max) return ms;
  throw new KitError(
    'time-range',
    `${what} is ${String(ms)}; it must be a whole number of milliseconds from 0 to ${max}.`,
  );
}
