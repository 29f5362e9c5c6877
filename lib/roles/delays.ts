/**
 * Delays between retries. Each is drawn from the upper half of a window that doubles with every failure, so that
 * callers that failed at the same time do not retry at the same time.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Random } from '#ports/random.ts';

/** The delay after this number (from 1) of consecutive failures, in whole milliseconds. */
export function backOffMs(backOff: BackOff, failures: number, random: Random): number {
  const window = backOffWindowMs(backOff, failures);
  return Math.ceil(window / 2 + (random.next() * window) / 2);
}

/** Resolves after this time, ms. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Between two changes of one line of orders: the first fails only because another submission, or the end of an order, came first. */
export const overtakenBackOff: BackOff = { firstMs: 5, maxMs: 200 };

/**
 * For messages whose handling failed, by receive count. The first delays are shorter than the deadline of most steps;
 * the longest limits the receives during an outage, and the wait of a message after it.
 */
const redeliveryBackOff: BackOff = { firstMs: 2_000, maxMs: 20_000 };

/** How long the queue hides a message after this number (from 1) of receives, ms. */
export function redeliverAfterMs(receives: number, random: Random): number {
  return backOffMs(redeliveryBackOff, receives, random);
}

/**
 * The delay of a message that is to arrive at that instant: in whole seconds, as queues take it, and rounded up, because
 * what comes early is of no use. At most {@link limits.messageDelayMaxMs}; 0 for an instant that has come, or none.
 */
export function delaySeconds(at: number | undefined, nowMs: number): number {
  if (at === undefined || at <= nowMs) return 0;
  return Math.ceil(Math.min(at - nowMs, limits.messageDelayMaxMs) / 1_000);
}
