/** Whether this Reeve works, and whether it may be given traffic. */
import type { ApiPorts } from '#http/api-ports.ts';
import type { HealthDocument } from '#http/service-schemas.ts';

/** The health for `GET /healthz` and `GET /readyz`. */
export interface Health {
  readonly status: HealthDocument['status'];
  /** Why it is not `ready`; several may hold at once. */
  readonly causes: readonly string[];
  readonly lastSweepAt: number | null;
  /** False: Reeve itself has a fault. A service that is unavailable and a load that is too high are none. */
  readonly works: boolean;
  /** Whether a load balancer may send requests here: also during the recovery, but not while nothing can be stored. */
  readonly mayServe: boolean;
}

/** What the health depends on. */
export type HealthPorts = Pick<
  ApiPorts,
  'clock' | 'lastSweepAt' | 'sweepLateMs' | 'isStarting' | 'isStopping' | 'damaged' | 'refusal'
> &
  Pick<ApiPorts, 'isOverloaded' | 'isCircuitOpen'>;

export async function healthOf(ports: HealthPorts): Promise<Health> {
  const lastSweepAt = await ports.lastSweepAt();
  const isLate = lastSweepAt === null || ports.clock.now() - lastSweepAt > ports.sweepLateMs;
  const refusal = ports.refusal?.() ?? null;
  const faults = [
    ...(isLate ? ['sweep-late'] : []),
    ...((ports.damaged?.() ?? 0) > 0 ? ['store-damaged'] : []),
    ...(refusal === null ? [] : [refusal]),
  ];
  const isCircuitOpen = ports.isCircuitOpen?.() ?? false;
  const isOverloaded = ports.isOverloaded?.() ?? false;
  const causes = [
    ...faults,
    ...(isCircuitOpen ? ['circuit-open'] : []),
    ...(isOverloaded ? ['overloaded'] : []),
  ];
  const isStopping = ports.isStopping?.() ?? false;
  const isStarting = ports.isStarting();
  const works = faults.length === 0;
  return {
    status: statusOf({ isStopping, works, isStarting, isCircuitOpen, isOverloaded }),
    causes,
    lastSweepAt,
    works,
    mayServe: !isStopping && refusal === null,
  };
}

interface Conditions {
  readonly isStopping: boolean;
  readonly works: boolean;
  readonly isStarting: boolean;
  readonly isCircuitOpen: boolean;
  readonly isOverloaded: boolean;
}

/** The most serious one; a fault of Reeve is not hidden by its start. */
function statusOf(is: Conditions): Health['status'] {
  if (is.isStopping) return 'stopping';
  if (!is.works) return 'degraded';
  if (is.isStarting) return 'starting';
  if (is.isCircuitOpen) return 'degraded';
  return is.isOverloaded ? 'overloaded' : 'ready';
}
