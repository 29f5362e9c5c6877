/** Ejections in memory: the simulator's table without a network, with the number of reads and writes. */
import { UnavailableError } from '#core/model/errors.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import { ejectionTable } from '#sim/ports/sim-flow.ts';

export interface MemoryEjections extends Ejections {
  readonly counts: { reads: number; writes: number };
  /** From now on, every call fails, or none. */
  fail(isFailing: boolean): void;
}

export function memoryEjections(): MemoryEjections {
  const table = ejectionTable();
  const counts = { reads: 0, writes: 0 };
  let isFailing = false;
  const unlessFailing = () => {
    if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
  };
  return {
    counts,
    fail(failing) {
      isFailing = failing;
    },
    async read(agent) {
      counts.reads += 1;
      unlessFailing();
      return table.read(agent);
    },
    async store(agent, ejection, nowMs) {
      counts.writes += 1;
      unlessFailing();
      table.store(agent, ejection, nowMs);
    },
  };
}
