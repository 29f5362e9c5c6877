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
/** A rate of fewer seconds with calls says little of the load. */
const rateSecondsMin = rateOverMs / secondMs;
/** A load that begins after so long without a call is another one: its rate is measured anew. */
const rateIdleMs = 60 * secondMs;

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
  /** The calls since `from`, which `perSecond` does not contain yet. */
  readonly from: number;
  readonly count: number;
  /** How often it was measured, over a second or more. */
  readonly seconds: number;
}

/** No call was answered yet. */
export const noRate: CallRate = {
  perSecond: 0,
  from: Number.NEGATIVE_INFINITY,
  count: 0,
  seconds: 0,
};

/** A rate that was known before, to be measured from now on. */
export const rateFrom = (perSecond: number, from: number): CallRate => ({
  perSecond,
  from,
  count: 0,
  seconds: rateSecondsMin,
});

/** Whether the rate was measured for long enough. */
export const isKnownRate = ({ seconds }: CallRate) => seconds >= rateSecondsMin;

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
export function rateWith(before: CallRate, nowMs: number): CallRate {
  const { perSecond: average, from, count, seconds } = before;
  const elapsedMs = nowMs - from;
  // The clock was set back: the calls since `from` were made in a time that is not known.
  if (elapsedMs < 0) return { ...before, from: nowMs, count: 0 };
  if (elapsedMs < secondMs) return { perSecond: average, from, count: count + 1, seconds };
  if (elapsedMs > rateIdleMs) return { ...noRate, from: nowMs };
  const latest = ((count + 1) * secondMs) / elapsedMs;
  const share = average === 0 ? 1 : 1 - Math.exp(-elapsedMs / rateOverMs);
  const perSecond = average + (latest - average) * share;
  return { perSecond, from: nowMs, count: 0, seconds: seconds + 1 };
}
