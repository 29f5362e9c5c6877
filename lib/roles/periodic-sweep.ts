/** The Supervisor's schedule in one process: a sweep, a pause, and again. */
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Supervisor } from './supervisor.ts';

export interface SweepTimer {
  /** When the last completed sweep began; null before the first. */
  lastSweepAt(): number | null;
  stop(): void;
}

export function periodicSweep(
  supervisor: Supervisor,
  clock: Clock,
  periodMs: number,
  log: Log,
): SweepTimer {
  let last: number | null = clock.now();
  let stopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return clock.after(periodMs, () => {
      void sweep();
    });
  }

  async function sweep(): Promise<void> {
    try {
      const report = await supervisor.sweep(last);
      if (report.finished) last = report.startedAt;
    } catch (error) {
      if (stopped) return;
      // `last` stays: a sweep after a long failure of the store forgives what it finds (R20).
      log.error('sweep-failed', { error: error instanceof Error ? error.message : 'unknown' });
    }
    if (!stopped) cancel = schedule();
  }

  return { lastSweepAt: () => last, stop };

  function stop(): void {
    stopped = true;
    cancel();
  }
}
