/** How fast calls go elsewhere when one of the endpoints of a service dies. */
import type { Death, EndpointCallSeen } from './endpoint-deaths.ts';

/** Until less than 5 % of the calls go to the dead endpoint, ms. */
const soonMs: Readonly<Record<Death, number>> = {
  'fails-fast': 1_000,
  'half-errors': 1_000,
  silent: 3_000,
  slow: 5_000,
};
const soonShare = 0.05;
/** In this time a share is measured, ms. */
const windowMs = 500;
/** From then on, the share of the dead endpoint is measured as a whole, ms. */
const laterMs = 5_000;
const laterShareMax = 0.02;
/** Of all steps after the death. */
const failedShareMax = 0.005;

/** @param steps the steps after the death, of which `failed` counted a failure */
export function endpointFigures(
  death: Death,
  calls: readonly EndpointCallSeen[],
  { steps, failed }: { readonly steps: number; readonly failed: number },
) {
  const figures = {
    death,
    under5PercentMs: firstUnder(calls),
    percentAfter5s: percent(shareOf(calls, laterMs, Number.POSITIVE_INFINITY)),
    steps,
    failed,
  };
  const isPassed =
    figures.under5PercentMs <= soonMs[death] &&
    figures.percentAfter5s <= 100 * laterShareMax &&
    failed <= steps * failedShareMax;
  return { ...figures, isPassed };
}

const percent = (share: number) => Math.round(share * 10_000) / 100;

function firstUnder(calls: readonly EndpointCallSeen[]): number {
  for (let from = 0; from < laterMs * 2; from += windowMs / 10) {
    if (shareOf(calls, from, from + windowMs) < soonShare) return from;
  }
  return Number.POSITIVE_INFINITY;
}

function shareOf(calls: readonly EndpointCallSeen[], from: number, until: number): number {
  const all = calls.filter(({ at }) => at >= from && at < until);
  return all.filter(({ isDead }) => isDead).length / all.length;
}
