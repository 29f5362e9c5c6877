/** How many overdue orders sweeps recover, and how long a million takes. */
import { constants, million } from './constants.ts';
import { sweepDuty } from './design.ts';
import type { Load } from './parts.ts';

/** After an outage the ramp bounds a sweep; when a service hangs, twice the ramp. */
type Cause = 'outage' | 'hang';

interface Recovered {
  /** While sweeps run, of all shards together, per second. */
  readonly whileSweeping: number;
  /** With the pause of each minute. */
  readonly inAll: number;
}

export function recoveredPerSecond(
  { design, costs }: Pick<Load, 'design' | 'costs'>,
  cause: Cause,
): Recovered {
  const byCpu = (1_000 / costs.recoveryCpuMs) * (design.supervisorMiB / constants.coreMiB.value);
  const byIndex = constants.partitionWriteUnits.value / constants.dueUnitsPerRecovery.value;
  const paced = (cause === 'outage' ? 1 : 2) * Math.floor(design.recoveryPerSecond / design.shards);
  const whileSweeping = design.shards * Math.min(byCpu, byIndex, paced);
  return { whileSweeping, inAll: whileSweeping * sweepDuty };
}

/** Seconds in which a million overdue orders are recovered. */
export const secondsOfMillion = (load: Pick<Load, 'design' | 'costs'>, cause: Cause): number =>
  million / recoveredPerSecond(load, cause).inAll;
