/**
 * The change stream of the process records: every write at least once, in sequence for each order, in batches of
 * which the reader may settle a part.
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
   * Settles this many entries from the first; the stream continues after them. Returns the entries that only this
   * response can cause to be delivered again. A response after the timeout has no effect.
   */
  answer(settled: number): readonly StreamEntry[];
}

export interface SimStream {
  add(entry: StreamEntry): void;
  /** The next batch; null while one is in flight or none is ready. */
  take(): StreamBatch | null;
  /** The number of unsettled entries. */
  size(): number;
}

const batchMax = 10;
/** The reader's timeout, ms, after which the batch is delivered again. */
const readerTimeoutMs = 60_000;

/** @param onReady called when there may be a batch */
export function simStream(around: SimContext, onReady: () => void): SimStream {
  const { timeline, chance, faults } = around;
  const entries: StreamEntry[] = [];
  /** Entries that the platform itself delivers again. */
  const repeated = new Set<StreamEntry>();
  let next = 0;
  let inFlight: StreamBatch | null = null;
  let stopWaiting = () => {};

  function soon(ms: number): void {
    timeline.at(timeline.now() + ms, () => {
      if (inFlight === null && next < entries.length) onReady();
    });
  }

  function advance(batch: StreamBatch, taken: number, pauseMs: number): void {
    if (inFlight !== batch) return;
    stopWaiting();
    inFlight = null;
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
      if (inFlight !== null || taken.length === 0) return null;
      const batch: StreamBatch = {
        entries: taken,
        answer(settled) {
          if (inFlight !== batch) return [];
          const pauseMs =
            settled === taken.length ? chance.between(1, 50) : chance.between(200, 2_000);
          const notified = faults.strike('stream-doubled') ? chance.between(0, settled) : settled;
          for (const entry of taken.slice(notified, settled)) repeated.add(entry);
          advance(batch, notified, pauseMs);
          return taken.filter((entry) => !repeated.has(entry));
        },
      };
      inFlight = batch;
      stopWaiting = timeline.at(timeline.now() + readerTimeoutMs, () => {
        for (const entry of taken) repeated.add(entry);
        advance(batch, 0, 1);
      });
      return batch;
    },
  };
}
