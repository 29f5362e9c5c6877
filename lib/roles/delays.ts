/**
 * Waits between tries. Each is drawn from the upper half of a window that doubles with every failure,
 * so that callers that failed together do not try again together.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import type { Clock } from '#ports/clock.ts';
import type { Random } from '#ports/random.ts';

/** The wait after so many failures in a row, from 1: whole milliseconds. */
export function backOffMs(backOff: BackOff, failures: number, random: Random): number {
  const window = backOffWindowMs(backOff, failures);
  return Math.ceil(window / 2 + (random.next() * window) / 2);
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/**
 * Of a message that could not be worked on, by how often it was received. The first waits are shorter
 * than most steps may take; the longest bounds what an outage costs and how long a message waits after it.
 */
const redeliveryBackOff: BackOff = { firstMs: 2_000, maxMs: 20_000 };

/** How long it stays hidden, ms, after so many receives, from 1. */
export function redeliverAfterMs(receives: number, random: Random): number {
  return backOffMs(redeliveryBackOff, receives, random);
}
