/** Rates on the command line. */
import { InvalidArgumentError } from 'commander';
import { rateUnits } from '#text/rate-text.ts';

const form = /^(\d{1,5})\/(\d{0,4})(s|min|h|d)$/;

/** A rate of `count` calls per `per` ms. */
export interface RateOption {
  readonly count: number;
  readonly per: number;
}

/** @throws {InvalidArgumentError} */
export function rateOption(text: string): RateOption {
  const [, count, times, unit] = form.exec(text) ?? [];
  const ms = rateUnits.find(([name]) => name === unit)?.[1];
  if (count === undefined || ms === undefined) {
    throw new InvalidArgumentError('It must be calls per time, such as 5/s, 100/min or 3/10s.');
  }
  return { count: Number(count), per: Number(times || '1') * ms };
}
