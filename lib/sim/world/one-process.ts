/** Reeve in one process: it accepts messages and sweeps while it recovers from a crash. */
import type { Host } from './host.ts';

export function startOneProcess(host: Host): void {
  const { machine, sweeping } = host;
  if (sweeping.kind !== 'by-itself') return;
  host.ready = false;
  host.onlyInvoked = false;
  void sweeping.start().then(
    () => {
      host.ready = true;
    },
    // As in lib/runtime/local/start-command.ts: a process that cannot begin to recover does not start.
    () => machine.die(),
  );
}
