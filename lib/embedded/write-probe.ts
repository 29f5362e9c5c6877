/** While the disk refuses writes, tries one now and then: that it takes them again is found without an order. */
import type { Clock } from '#ports/clock.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** Between two tries, ms: a try costs a transaction of one row, and makes room where there is some. */
const everyMs = 2_000;

export interface WriteProbeOptions {
  readonly store: Pick<SqliteStore, 'refusal' | 'tryWrite'>;
  readonly clock: Clock;
}

/** Starts it; the function it gives stops it. */
export function writeProbe({ store, clock }: WriteProbeOptions): () => void {
  let isStopped = false;
  let cancel = clock.after(everyMs, look);

  function look(): void {
    void probe().then(() => {
      if (!isStopped) cancel = clock.after(everyMs, look);
    });
  }

  async function probe(): Promise<void> {
    if (store.refusal() === null) return;
    try {
      await store.tryWrite();
    } catch {
      // The store remembers that it was refused.
    }
  }

  return () => {
    isStopped = true;
    cancel();
  };
}
