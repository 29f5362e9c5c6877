/**
 * Forgets orders that ended long ago, so that the disk does not fill: what a table's time-to-live does
 * on AWS. Orders in Error are kept, whatever their age, until a person has seen to them.
 */
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Retention } from '#ports/retention.ts';

/** A look every so often, ms: hardly felt. */
const periodMs = 10_000;

export interface RetentionOptions {
  readonly store: Retention;
  /** How long an order is kept after its end, ms; a submission's key is known for as long. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts it; the function it gives stops it. */
export function retention({ store, keepMs, clock, log }: RetentionOptions): () => void {
  let stopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return clock.after(periodMs, () => {
      void look();
    });
  }

  async function look(): Promise<void> {
    try {
      const forgotten = await store.deleteEnded(clock.now() - keepMs);
      if (forgotten > 0) log.info('ended-orders-deleted', { orders: forgotten });
    } catch (error) {
      if (stopped) return;
      log.error('retention-failed', { error: describeError(error) });
    }
    if (!stopped) cancel = schedule();
  }

  return () => {
    stopped = true;
    cancel();
  };
}
