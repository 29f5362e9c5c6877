/**
 * While the disk refuses writes, tries one periodically, so that its recovery is detected without an order. Also looks whether the files are
 * still there.
 */
import type { Clock } from '#ports/clock.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** Between two tries, ms. A try costs a transaction of one row, and frees log space if possible. */
const everyMs = 2_000;

/** The store to probe. */
export interface StoreProbeOptions {
  readonly store: Pick<SqliteStore, 'refusal' | 'tryWrite' | 'lookAtFiles'>;
  readonly clock: Clock;
}

/** Starts the probe; the returned function stops it. */
export function storeProbe({ store, clock }: StoreProbeOptions): () => void {
  let isStopped = false;
  let cancel = clock.after(everyMs, look);

  function look(): void {
    void probe().then(() => {
      if (!isStopped) cancel = clock.after(everyMs, look);
    });
  }

  async function probe(): Promise<void> {
    store.lookAtFiles();
    if (store.refusal() === null) return;
    try {
      await store.tryWrite();
    } catch {
      // The store keeps the refusal.
    }
  }

  return () => {
    isStopped = true;
    cancel();
  };
}
