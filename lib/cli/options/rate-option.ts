/** Rates on the command line: `5/s`, `100/min`, `2000/h`, `3/10s`. */
import { InvalidArgumentError } from 'commander';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;
const form = /^(\d{1,5})\/(\d{0,4})(s|min|h|d)$/;

/** A rate of `count` calls per `per` ms. */
export interface RateOption {
  readonly count: number;
  readonly per: number;
}

/** @throws {InvalidArgumentError} */
export function rateOption(text: string): RateOption {
  const [, count, times, unit] = form.exec(text) ?? [];
  const ms = units.find(([name]) => name === unit)?.[1];
  if (count === undefined || ms === undefined) {
    throw new InvalidArgumentError('It must be calls per time, such as 5/s, 100/min or 3/10s.');
  }
  return { count: Number(count), per: Number(times || '1') * ms };
}

/** As {@link rateOption} reads it, with its burst where it has one. */
export function rateText({ count, per, burst }: RateOption & { readonly burst: number }): string {
  const [unit, ms] = units.find(([, length]) => per % length === 0) ?? ['ms', 1];
  const times = per / ms;
  const rate = `${count}/${times === 1 ? '' : times}${unit}`;
  return burst === 1 ? rate : `${rate}, burst ${burst}`;
}
