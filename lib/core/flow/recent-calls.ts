/** How the latest calls of a service ended, and how many per second it answers. */

/** The weight that the end of a call keeps when the next one ends: 20 calls count. */
const keep = 0.95;
/** The circuit opens when so many of the latest calls failed, and half of them or more. Five failures in a row suffice. */
const failuresMin = 4;
const secondMs = 1_000;
/** Older ends of calls do not count. */
const forgetAfterMs = 5 * 60 * secondMs;
/** Time over which the rate of answered calls is averaged. */
const rateOverMs = 10 * secondMs;

/** How the latest calls ended; each call makes the ones before it count 5 % less. */
export interface LatestCalls {
  readonly answered: number;
  readonly failed: number;
  /** An order whose call failed, and whether calls of other orders failed too. */
  readonly failing: string | null;
  readonly isOfSeveral: boolean;
  readonly at: number;
}

/** How many calls per second were answered. */
export interface CallRate {
  readonly perSecond: number;
  readonly from: number;
  readonly count: number;
}

/** No call has ended yet. */
export const noCalls = (at: number): LatestCalls => ({
  answered: 0,
  failed: 0,
  failing: null,
  isOfSeveral: false,
  at,
});

/** The latest calls with one more. */
export function latestWith(
  before: LatestCalls,
  { isAnswered, order }: { readonly isAnswered: boolean; readonly order: string },
  nowMs: number,
): LatestCalls {
  const { answered, failed, failing, isOfSeveral } =
    nowMs - before.at > forgetAfterMs ? noCalls(nowMs) : before;
  if (!isAnswered) {
    return {
      answered: answered * keep,
      failed: failed * keep + 1,
      failing: failing ?? order,
      isOfSeveral: isOfSeveral || (failing !== null && failing !== order),
      at: nowMs,
    };
  }
  const isPast = failed < 1;
  return {
    answered: answered * keep + 1,
    failed: isPast ? 0 : failed * keep,
    failing: isPast ? null : failing,
    isOfSeveral: !isPast && isOfSeveral,
    at: nowMs,
  };
}

/** The calls of one order alone say nothing of the service: the order may be the cause. */
export const isFailing = ({ answered, failed, isOfSeveral }: LatestCalls) =>
  isOfSeveral && failed > failuresMin && failed >= answered;

/** The rate with one more call that was answered. */
export function rateWith({ perSecond: average, from, count }: CallRate, nowMs: number): CallRate {
  const elapsedMs = nowMs - from;
  if (elapsedMs < secondMs) return { perSecond: average, from, count: count + 1 };
  const latest = ((count + 1) * secondMs) / elapsedMs;
  const share = average === 0 ? 1 : 1 - Math.exp(-elapsedMs / rateOverMs);
  return { perSecond: average + (latest - average) * share, from: nowMs, count: 0 };
}
