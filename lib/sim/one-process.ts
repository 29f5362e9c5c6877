/** Reeve in one process: what a crash left is recovered before anything is taken, then it sweeps by itself. */
import { periodicSweep } from '#roles/periodic-sweep.ts';
import type { Host } from './host.ts';

export function startOneProcess(host: Host, sweepPeriodMs: number): void {
  const { machine, supervisor, log } = host;
  host.ready = false;
  host.onlyInvoked = false;
  void supervisor.recoverAll().then(
    () => {
      host.ready = true;
      periodicSweep(supervisor, machine.clock, sweepPeriodMs, log);
    },
    // As lib/runtime/start-command.ts: a process that cannot recover does not start.
    () => machine.die(),
  );
}
