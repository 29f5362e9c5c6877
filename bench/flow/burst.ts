/** A burst: more orders at once than a healthy service can begin before their deadlines. None may fail. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#runtime/node/system-clock.ts';
import { startDelivery } from './delivery.ts';

/** Options of {@link burst}. */
export interface BurstOptions {
  readonly orders: number;
  readonly callMs: number;
  readonly concurrency: number;
}

/** The orders come over this time, in batches. */
const overMs = 6_000;
const batch = 40;

export async function burst({ orders, callMs, concurrency }: BurstOptions) {
  const delivery = await startDelivery({ callMs, concurrency, completeWithinMs: 2_000 });
  const begunAt = systemClock.now();
  try {
    let refused = 0;
    for (let count = 0; count < orders; count += 1) {
      const { kind } = await delivery.submit(count);
      if (kind !== 'accepted') refused += 1;
      if (count % batch === batch - 1) await sleep((overMs * batch) / orders);
    }
    while (delivery.endings().live > 0) await sleep(10);
    const { processed, undone, error, failures } = delivery.endings();
    return {
      callMs,
      concurrency,
      orders,
      processed,
      undone,
      error,
      refused,
      failures,
      concurrentMax: Math.max(delivery.stock.concurrentMax(), delivery.courier.concurrentMax()),
      seconds: (systemClock.now() - begunAt) / 1_000,
      // Each of the two agents performs `concurrency` steps at a time, the second one beside the first.
      atLeastSeconds: ((orders / concurrency + 1) * callMs) / 1_000,
      isPassed: processed === orders && failures === 0,
    };
  } finally {
    delivery.close();
  }
}
