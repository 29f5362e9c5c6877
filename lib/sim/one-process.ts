/** Reeve in one process: it takes what comes and sweeps by itself while what a crash left is recovered. */
import { periodicSweep } from '#roles/periodic-sweep.ts';
import type { Host } from './host.ts';

export function startOneProcess(host: Host, sweepPeriodMs: number): void {
  const { machine, supervisor, restart, log } = host;
  host.ready = false;
  host.onlyInvoked = false;
  void restart.begin().then(
    () => {
      host.ready = true;
      periodicSweep(supervisor, machine.clock, sweepPeriodMs, log);
    },
    // As lib/runtime/start-command.ts: a process that cannot begin to recover does not start.
    () => machine.die(),
  );
}
