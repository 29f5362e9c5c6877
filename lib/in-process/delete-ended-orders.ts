/**
 * Deletes orders that ended long ago, so that the disk does not fill; on AWS the time-to-live of the table does that.
 * Orders in Error are kept, at any age, until an operator ends them.
 */
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Retention } from '#ports/retention.ts';

/** Between two passes over the old orders, ms. */
const periodMs = 10_000;
/** Between two batches of a pass, ms: so long other work runs. More orders are deleted per second than can end. */
const pauseMs = 20;

/** Options of {@link retention}. */
export interface RetentionOptions {
  readonly store: Retention;
  /** How long an order is kept after its end, ms; its idempotency key is recognised for as long. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the deletion; the returned function stops it. */
export function retention({ store, keepMs, clock, log }: RetentionOptions): () => void {
  let stopped = false;
  let cancel = next(periodMs);

  function next(afterMs: number): () => void {
    return clock.after(afterMs, () => {
      void look();
    });
  }

  async function look(): Promise<void> {
    let afterMs = periodMs;
    try {
      const now = clock.now();
      const { deleted, hasMore } = await store.deleteEnded(now - keepMs, now);
      if (deleted > 0) log.info('ended-orders-deleted', { orders: deleted });
      if (hasMore) afterMs = pauseMs;
    } catch (error) {
      if (stopped) return;
      log.error('retention-failed', { error: describeError(error) });
    }
    if (!stopped) cancel = next(afterMs);
  }

  return () => {
    stopped = true;
    cancel();
  };
}
