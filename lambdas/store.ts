/** The state store of a function, and the parts it depends on. */
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { instanceName, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { readConfig, storeVariables } from './config.ts';
import { log } from './telemetry.ts';

const dayMs = 24 * 3_600_000;

/** The store, and what the roles of the function share with it. */
export type FunctionStore = ReturnType<typeof functionStore>;

export function functionStore() {
  const config = readConfig(storeVariables);
  /** Identifies this instance of the function in locks and writes. */
  const instance = instanceName();
  const ids = systemIds(systemClock, instance);
  const dynamo = dynamoClient();
  const sweepPeriodMs = config.REEVE_SWEEP_SECONDS * 1_000;
  const store = dynamoStore({
    client: dynamo,
    tables: { orders: config.REEVE_ORDERS_TABLE, processes: config.REEVE_PROCESSES_TABLE },
    shards: config.REEVE_SHARDS,
    sweepPeriodMs,
    keepEndedMs: config.REEVE_KEEP_DAYS * dayMs,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  return { instance, ids, dynamo, sweepPeriodMs, store };
}
