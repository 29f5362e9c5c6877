/** The schedule of the Supervisor in one process: sweeps with a pause between them. */

import { gapsAt, noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Supervisor } from './supervisor.ts';

/** The running schedule. */
export interface SweepTimer {
  /** When the last completed sweep began; null before the first. */
  lastSweepAt(): number | null;
  /** Whether the next sweep will interrupt steps that an outage delayed: until then, only sweeps may recover orders. */
  isAfterOutage(): boolean;
  /** How long the longest overdue order of the latest sweep had been due, or for how long a sweep has lasted, ms. */
  lagMs(): number;
  stop(): void;
}

/**
 * Starts the schedule; the first sweep begins after one period, ms.
 *
 * @param onSwept called after each sweep
 */
export function periodicSweep(
  supervisor: Supervisor,
  clock: Clock,
  periodMs: number,
  log: Log,
  onSwept: () => Promise<void> = async () => {},
): SweepTimer {
  let last: number | null = clock.now();
  const first: ShardMemory = { ...noMemory, aliveAt: last };
  const memories = new Map(
    Array.from({ length: supervisor.shards }, (_, shard) => [shard, first] as const),
  );
  let lagMs = 0;
  let begunAt: number | null = null;
  let stopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return clock.after(periodMs, () => {
      void sweep();
    });
  }

  async function sweep(): Promise<void> {
    begunAt = clock.now();
    try {
      const report = await supervisor.sweep(memories);
      lagMs = report.lagMs;
      if (report.finished) last = report.startedAt;
      await onSwept();
    } catch (error) {
      if (stopped) return;
      // The memories stay: the first sweep after a long failure of the store interrupts the steps that the
      // failure delayed, and counts no failure for them (R20).
      log.error('sweep-failed', { error: describeError(error) });
    }
    begunAt = null;
    if (!stopped) cancel = schedule();
  }

  const isAfterOutage = () =>
    [...memories.values()].some(
      (memory) => gapsAt(memory, clock.now(), supervisor.outageAfterMs).length > 0,
    );

  return {
    lastSweepAt: () => last,
    isAfterOutage,
    lagMs: () => Math.max(lagMs, begunAt === null ? 0 : clock.now() - begunAt),
    stop,
  };

  function stop(): void {
    stopped = true;
    cancel();
  }
}
