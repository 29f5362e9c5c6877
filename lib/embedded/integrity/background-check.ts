/**
 * Verifies all stored orders after a recovery, in the background, to find damage in rows that no work reads. It uses
 * about a tenth of a processor until it has finished.
 */

import type { SqliteStore } from '#embedded/sqlite-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';

/** Orders in one slice: two milliseconds of work. */
const slice = 50;
/** Between two slices, ms. */
const pauseMs = 20;
/** From the recovery to the first slice, ms. */
const firstMs = 1_000;

/** The store to verify. */
export interface BackgroundCheckOptions {
  readonly store: SqliteStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the check; the returned function stops it. */
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
