/**
 * Brings committed changes to the notifier: at least once, in order for each response channel, until
 * everybody was told. A channel that fails holds up its own changes, nobody else's.
 */
import type { Change } from '#core/change.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { SqliteStore, StoredChange } from './sqlite-store.ts';

/** Wait before a change that could not be told is told again, ms: doubles up to the longest. */
const retryFirstMs = 500;
const retryMaxMs = 30_000;

export interface ChangeFeedOptions {
  readonly store: SqliteStore;
  readonly tell: (change: Change) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts it; the function it gives stops it. What was not told is told after the next start. */
export function changeFeed({ store, tell, clock, log }: ChangeFeedOptions): () => void {
  const lanes = new Map<string, StoredChange[]>();
  /** Ends the waits between tries, so that nothing keeps a stopped process from its end. */
  const wake = new Set<() => void>();
  let stopped = false;

  async function run(lane: string, queue: StoredChange[]): Promise<void> {
    for (let stored = queue[0]; stored !== undefined && !stopped; stored = queue[0]) {
      await tellOnce(stored);
      queue.shift();
    }
    lanes.delete(lane);
  }

  async function tellOnce({ seq, change }: StoredChange): Promise<void> {
    for (let wait = retryFirstMs; !stopped; wait = Math.min(wait * 2, retryMaxMs)) {
      try {
        await tell(change);
        await store.forgetChange(seq);
        return;
      } catch (error) {
        log.warn('change-not-told', {
          orderId: change.orderId,
          sequence: change.sequence,
          error: error instanceof Error ? error.message : 'unknown',
        });
        await pause(wait);
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    if (stopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(ms, resolve);
    wake.add(resolve);
    await promise;
    cancel();
    wake.delete(resolve);
  }

  store.watchChanges((stored) => {
    const name = stored.change.replyTo ?? '';
    const lane = lanes.get(name);
    if (lane !== undefined) {
      lane.push(stored);
      return;
    }
    const queue = [stored];
    lanes.set(name, queue);
    void run(name, queue);
  });
  return () => {
    stopped = true;
    for (const resolve of wake) resolve();
  };
}
