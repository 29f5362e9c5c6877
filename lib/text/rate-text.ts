/** Rates and limits in words, rates as the command line reads them: `5/s`, `100/min`, `2000/h`, `3/10s`. */

/** The units of time, the longest first, ms. */
export const rateUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A rate of `count` calls per `per` ms, of which `burst` may begin together. */
interface Rate {
  readonly count: number;
  readonly per: number;
  readonly burst: number;
}

export function rateText({ count, per, burst }: Rate): string {
  const [unit, ms] = rateUnits.find(([, length]) => per % length === 0) ?? ['ms', 1];
  const times = per / ms;
  const rate = `${count}/${times === 1 ? '' : times}${unit}`;
  return burst === 1 ? rate : `${rate}, burst ${burst}`;
}

/** How much a limit allows: `5/s, 3 at once`. */
export const amountText = ({
  rate,
  atOnce,
}: {
  readonly rate: Rate | null;
  readonly atOnce: number | null;
}): string =>
  [
    ...(rate === null ? [] : [rateText(rate)]),
    ...(atOnce === null ? [] : [`${atOnce} at once`]),
  ].join(', ');
