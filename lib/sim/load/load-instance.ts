/** An instance of a function of a deployment under load. */
import { schedulerId } from '#core/model/ids.ts';
import type { Log } from '#ports/log.ts';
import { storeOutage } from '#sim/faults/store-outage.ts';
import { registries } from '#sim/orders/sim-workflows.ts';
import { simStore, unreadableRecords } from '#sim/ports/sim-store.ts';
import type { SimTable } from '#sim/ports/sim-table.ts';
import { functionsOf } from '#sim/world/deployed-functions.ts';
import { digest, idsOf } from '#sim/world/host-ports.ts';
import { machine as machineOf } from '#sim/world/machine.ts';
import type { ProcessRoles } from '#sim/world/one-process.ts';
import type { SharedByFunctions } from '#sim/world/shared-infrastructure.ts';
import type { LoadSetting } from './load-setting.ts';

/** It has all roles, of which its function uses one. */
export function instanceOf(
  shared: SharedByFunctions & { readonly table: SimTable },
  { registry = registries.old }: Pick<LoadSetting, 'registry'>,
  log: Log,
  name: string,
  skewMs: number,
): ProcessRoles {
  const { around, table, sweepPeriodMs } = shared;
  const machine = machineOf(name, around, () => {});
  machine.setClock(skewMs);
  const store = simStore({
    ...{ table, machine, faults: around.faults, workMs: 0, shards: table.shardsMax },
    operations: unrecorded,
    rules: { committed() {}, unknown() {} },
    unreadable: unreadableRecords(around.timeline.now),
    outage: storeOutage(around),
  });
  const ports = {
    ...{ store, log, digest, clock: machine.clock, random: around.chance },
    id: schedulerId(name),
    ids: idsOf(machine),
    registry,
    responseChannels: [],
    outageAfterMs: 3 * sweepPeriodMs,
  };
  return functionsOf(ports, shared, machine, store);
}

const unrecorded = { operations: [], write: () => () => {}, read: () => () => {} };
