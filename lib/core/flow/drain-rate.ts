/**
 * How many orders per second a flow of work ends while orders of it wait. Only that says what it can do: without orders
 * that wait, the rate of their ends is the rate at which they come.
 *
 * The rate is measured over windows that have enough ends for a figure, and enough time for ends that come together,
 * such as those of calls that began together.
 */

/** A window has at least so many ends … */
const endsMin = 32;
/** … and lasts at least so long, ms. */
const windowMinMs = 2_000;
/** The weight of the latest window in the rate. */
const latestShare = 0.5;

/** The measurement of one flow. Only the functions of this file change it. */
export interface DrainRate {
  /** Orders per second; null before the first window is complete. */
  perSecond: number | null;
  /** When the present window began, ms since the epoch; null: at the next end. */
  from: number | null;
  /** The ends in the window. */
  ended: number;
  /** Whether the window follows another one. The first one after a pause replaces the rate. */
  isNext: boolean;
}

/** A rate that was never measured. */
export const newDrainRate = (): DrainRate => ({
  perSecond: null,
  from: null,
  ended: 0,
  isNext: false,
});

/** An order of the flow ended while others waited. */
export function noteEnd(rate: DrainRate, nowMs: number): void {
  // From an end to an end: the first ones after a pause take the time of their calls.
  if (rate.from === null) {
    rate.from = nowMs;
    return;
  }
  rate.ended += 1;
  const elapsedMs = nowMs - rate.from;
  if (rate.ended < endsMin || elapsedMs < windowMinMs) return;
  const latest = perSecond(rate.ended, elapsedMs);
  rate.perSecond =
    rate.perSecond === null || !rate.isNext
      ? latest
      : rate.perSecond + (latest - rate.perSecond) * latestShare;
  rate.from = nowMs;
  rate.ended = 0;
  rate.isNext = true;
}

/** What ends now says nothing of the rate: no order waits, or a service is unavailable. The rate is kept. */
export function pauseRate(rate: DrainRate): void {
  rate.from = null;
  rate.ended = 0;
  rate.isNext = false;
}

/** The rate; less when the present window has lasted so long that the rate must have fallen. */
export function rateAt({ perSecond: known, from, ended }: DrainRate, nowMs: number): number | null {
  if (known === null || from === null) return known;
  return Math.min(known, perSecond(ended + endsMin, Math.max(1, nowMs - from)));
}

const perSecond = (count: number, ms: number) => (count * 1_000) / ms;
