/**
 * The change stream of the process records: every write, in the order of the writes of each order, at
 * least once, in batches of which the reader may take a part.
 */
import type { ProcessRecord, ProcessState } from '#core/model/record.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface StreamEntry {
  readonly previousState: ProcessState | null;
  readonly record: ProcessRecord;
}

export interface StreamBatch {
  readonly entries: readonly StreamEntry[];
  /**
   * How many of them, from the first, are settled: the stream goes on after those. Gives the entries that
   * come again only if this answer asks for it. Too late an answer counts for nothing.
   */
  answer(settled: number): readonly StreamEntry[];
}

export interface SimStream {
  add(entry: StreamEntry): void;
  /** The next batch; null while one is out, or when there is none. */
  take(): StreamBatch | null;
  /** How many have not been taken to the end. */
  size(): number;
}

const batchMax = 10;
/** A reader that has not answered by then is given up, ms, and the batch goes to another. */
const patienceMs = 60_000;

/** @param onReady is told when there may be a batch to take */
export function simStream(around: SimContext, onReady: () => void): SimStream {
  const { timeline, chance, faults } = around;
  const entries: StreamEntry[] = [];
  /** Delivered again by the platform's own doing. */
  const repeated = new Set<StreamEntry>();
  let next = 0;
  let out: StreamBatch | null = null;
  let stopWaiting = () => {};

  function soon(ms: number): void {
    timeline.at(timeline.now() + ms, () => {
      if (out === null && next < entries.length) onReady();
    });
  }

  function goOn(batch: StreamBatch, taken: number, pauseMs: number): void {
    if (out !== batch) return;
    stopWaiting();
    out = null;
    next += taken;
    if (next < entries.length) soon(pauseMs);
  }

  return {
    size: () => entries.length - next,
    add(entry) {
      entries.push(entry);
      soon(faults.strike('stream-late') ? chance.between(1_000, 60_000) : chance.between(5, 200));
    },
    take() {
      const taken = entries.slice(next, next + batchMax);
      if (out !== null || taken.length === 0) return null;
      const batch: StreamBatch = {
        entries: taken,
        answer(settled) {
          if (out !== batch) return [];
          const pauseMs =
            settled === taken.length ? chance.between(1, 50) : chance.between(200, 2_000);
          const notified = faults.strike('stream-doubled') ? chance.between(0, settled) : settled;
          for (const entry of taken.slice(notified, settled)) repeated.add(entry);
          goOn(batch, notified, pauseMs);
          return taken.filter((entry) => !repeated.has(entry));
        },
      };
      out = batch;
      stopWaiting = timeline.at(timeline.now() + patienceMs, () => {
        for (const entry of taken) repeated.add(entry);
        goOn(batch, 0, 1);
      });
      return batch;
    },
  };
}
