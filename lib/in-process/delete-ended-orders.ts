/**
 * Deletes orders that ended long ago, so that the disk does not fill; on AWS the time-to-live of the table does that.
 * Orders in Error are kept, at any age, until an operator ends them.
 */
import { clockDoubtMs, trustedAfter, trustedAtStart } from '#core/flow/clock/trusted-time.ts';
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

/**
 * Starts the deletion; the returned function stops it. After the clock jumped ahead, orders are deleted by the time that timers measure
 * for a day, and after a start by the time since the newest order: a clock that is set wrongly must not delete all of them.
 */
export function retention({ store, keepMs, clock, log }: RetentionOptions): () => void {
  let stopped = false;
  let time = trustedAtStart(store.newestSubmittedAt(), clock.now());
  let cancel = next(periodMs);

  function next(afterMs: number): () => void {
    return clock.after(afterMs, () => {
      pass(afterMs);
      void look();
    });
  }

  function pass(afterMs: number): void {
    const before = time;
    time = trustedAfter(before, afterMs, clock.now());
    if (before.doubtMs !== null || time.doubtMs === null) return;
    log.warn('clock-jumped', {
      aheadMs: clock.now() - time.at,
      doubtMs: clockDoubtMs,
    });
  }

  async function look(): Promise<void> {
    let afterMs = periodMs;
    try {
      const { deleted, hasMore } = await store.deleteEnded(time.at - keepMs, time.at);
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
