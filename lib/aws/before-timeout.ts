/** Ends a delivery before its Lambda invocation times out. */
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';

/** Time reserved for the response to SQS, ms. */
const spareMs = 500;

/**
 * Resolves with the delivery, or with `retry` shortly before the function times out. The finished part of a
 * batch is then acknowledged; a timeout would fail the whole batch.
 */
export async function beforeTimeout(
  work: Promise<Delivery>,
  clock: Clock,
  remainingMs: number,
): Promise<Delivery> {
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const cancel = clock.after(Math.max(0, remainingMs - spareMs), () => resolve({ kind: 'retry' }));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}
