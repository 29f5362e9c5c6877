/** The parameters of a deployment on which its throughput depends: as deployed without any, and those for a rate. */

import * as z from 'zod';
import { shardsMax } from '#aws/store/tables.ts';
import { parallelizationFactor } from '#infra/operations/notifications.ts';
import {
  recoveryPerSecondMax,
  settingDefaults,
  warmOrdersPerSecondMax,
} from '#infra/settings/settings.ts';
import { warmWriteUnits } from '#infra/warm-throughput.ts';
import { gbOf } from '../bill/prices.ts';
import { constants, overdueGoal, partitionGoal } from './constants.ts';
import type { Demand } from './demand.ts';

export interface Design {
  /** Partitions of the indexes Due, Recent and Correlation. */
  readonly shards: number;
  /** Orders that all sweeps together recover per second after an outage; otherwise twice as many. */
  readonly recoveryPerSecond: number;
  /** Requests per second that the API accepts: the parameter `throttle`. */
  readonly apiRequests: number;
  /** Write units per second for which each table and index is prepared on its first day. */
  readonly warmWriteUnits: Readonly<Record<'Orders' | 'Processes' | 'Due' | 'Recent', number>>;
  /** Batches of a shard of the change stream that are notified at once. */
  readonly parallelizationFactor: number;
  readonly notifierMiB: number;
  readonly supervisorMiB: number;
}

const defaults = z
  .object({
    shards: z.number(),
    recoveryPerSecond: z.number(),
    throttle: z.object({ rate: z.number() }),
  })
  .parse(settingDefaults);

const asNew = constants.newTableWriteUnits.value;

/** As deployed without parameters. */
export const deployed: Design = {
  shards: defaults.shards,
  recoveryPerSecond: defaults.recoveryPerSecond,
  apiRequests: defaults.throttle.rate,
  warmWriteUnits: { Orders: asNew, Processes: asNew, Due: asNew, Recent: asNew },
  parallelizationFactor,
  notifierMiB: gbOf('notifier') * 1_024,
  supervisorMiB: gbOf('supervisor') * 1_024,
};

/** The parameters of the stack for this rate, with what follows from them: the stack accepts them, and they need not be enough. */
export interface Advice {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly design: Design;
}

/** @param rate orders per second */
export function adviceFor(rate: number, demand: Demand): Advice {
  // The orders of the goal's outage, with a quarter more.
  const recoveryPerSecond = Math.min(
    recoveryPerSecondMax,
    Math.max(
      deployed.recoveryPerSecond,
      Math.ceil((1.25 * overdueGoal.outageSeconds * rate) / overdueGoal.seconds / sweepDuty),
    ),
  );
  const shards = Math.min(
    shardsMax,
    Math.max(
      deployed.shards,
      powerOfTwo(dueUnits(rate, recoveryPerSecond, demand) / partitionGoal),
    ),
  );
  const orders = Math.min(rate, warmOrdersPerSecondMax);
  const warm = {
    Orders: warmWriteUnits('Orders', { orders, shards }),
    Processes: warmWriteUnits('Processes', { orders, shards }),
    Due: warmWriteUnits('Due', { orders, shards }),
    Recent: warmWriteUnits('Recent', { orders, shards }),
  };
  const apiRequests = Math.max(deployed.apiRequests, Math.ceil(rate * 1.5));
  return {
    parameters: {
      ...(shards > deployed.shards && { shards }),
      ...(recoveryPerSecond > deployed.recoveryPerSecond && { recoveryPerSecond }),
      ...(apiRequests > deployed.apiRequests && {
        throttle: JSON.stringify({ rate: apiRequests, burst: 2 * apiRequests }),
      }),
      ...(warm.Processes > asNew && { warmOrdersPerSecond: orders }),
    },
    design: {
      ...deployed,
      shards,
      recoveryPerSecond,
      apiRequests,
      warmWriteUnits: warm,
    },
  };
}

/** Of the index Due in all of its shards, while orders come at this rate and overdue ones are recovered, which then end. */
export const dueUnits = (rate: number, recovered: number, { writeUnits }: Demand): number =>
  rate * (writeUnits['Due'] ?? 0) + recovered * (constants.dueUnitsPerRecovery.value + 1);

const powerOfTwo = (atLeast: number) => 2 ** Math.ceil(Math.log2(Math.max(1, atLeast)));

/** Part of a minute in which sweeps run. */
export const sweepDuty = constants.sweepSeconds.value / 60;
