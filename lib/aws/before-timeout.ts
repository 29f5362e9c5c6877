/** Work that must not outlive its invocation. */
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';

/** Left for the answer to the queue, ms. */
const spareMs = 500;

/**
 * The delivery, or `retry` shortly before the function's time runs out: the finished part of a batch is
 * then acknowledged, where a timeout would fail all of it.
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
