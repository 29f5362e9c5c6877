/**
 * Goes through the stored orders after a recovery, beside the work: damage that nobody happens to read is found
 * as well. It takes about a tenth of a processor until it has seen them all.
 */

import type { SqliteStore } from '#embedded/sqlite-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';

/** Orders in one slice: two milliseconds of work. */
const slice = 50;
/** Between two slices, ms. */
const pauseMs = 20;
/** The first slice waits so long after the recovery, ms. */
const firstMs = 1_000;

export interface BackgroundCheckOptions {
  readonly store: SqliteStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts it; the function it gives stops it. */
export function backgroundCheck({ store, clock, log }: BackgroundCheckOptions): () => void {
  const verification = store.verify();
  let cancel = clock.after(firstMs, look);

  function look(): void {
    if (verification.next(slice)) {
      cancel = clock.after(pauseMs, look);
      return;
    }
    log.info('stored-orders-checked', {
      orders: verification.checked(),
      damaged: store.damaged(),
    });
  }

  return () => cancel();
}
