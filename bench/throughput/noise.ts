/** What chance alone adds to a median of ratios. */

/** How often the median may be outside the interval by chance. */
const outsideMax = 0.05;

/**
 * How far from 1 the median of such ratios may be without a cause: the farther end of its confidence interval, by the sign test
 * (https://en.wikipedia.org/wiki/Sign_test), which supposes no distribution. It becomes smaller with more ratios; of fewer than six, which are too
 * few for the interval, it is the farthest one.
 *
 * @param ratios of a measurement to another one of the same code
 */
export function noiseOf(ratios: readonly number[]): number {
  const sorted = ratios.toSorted((a, b) => a - b);
  const left = leftOut(sorted.length);
  const inside = sorted.slice(left, sorted.length - left);
  return Math.max(...inside.map((one) => Math.abs(one - 1)));
}

/** How many ratios at each end are outside the interval. */
function leftOut(count: number): number {
  let left = 0;
  let ways = 1;
  let outside = (2 * ways) / 2 ** count;
  while (outside <= outsideMax) {
    left += 1;
    ways = (ways * (count + 1 - left)) / left;
    outside += (2 * ways) / 2 ** count;
  }
  return Math.max(0, left - 1);
}
