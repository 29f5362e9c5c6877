/** A world: what machines share, and the machines, put together as its setting says. */

import type { Breach } from '#checkers/violation.ts';
import { dueHorizonMs } from '#core/decide/due.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { deliveries, invoke } from '#sim/ports/deliveries.ts';
import { allOf } from '#sim/ports/queues.ts';
import { recordsOf, type SimTable } from '#sim/ports/sim-table.ts';
import { type Fleet, fleet as fleetOf } from './fleet.ts';
import { host as hostOf } from './host.ts';
import { startOneProcess } from './one-process.ts';
import type { Setting } from './setting.ts';
import { type SharedInfrastructure, sharedInfrastructure } from './shared-infrastructure.ts';
import type { SimContext } from './sim-context.ts';
import { type Sweeps, sweeps as sweepsOf } from './sweeps.ts';

export interface World {
  readonly setting: Setting;
  readonly plant: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly sweeps: Sweeps;
  /** From now on an order in Error is resubmitted soon, and idle time passes at once, in the end. */
  calm(): void;
  /** Whether nothing is on its way, and nobody at work. */
  isIdle(): boolean;
}

/** What is still on its way when the storm ends may arrive within this, ms. */
export const aftermathMs = 300_000;
const HOUR = 3_600_000;
/**
 * As a deployed queue, one in the calm hides a request for longer than any work on it takes, ms: else an
 * attempt whose deadline a wrong clock set days ahead is received again before its end, again and again.
 */
const longestWorkMs = 60_000;
/** A process delivers again, of itself, what was not taken, ms: as lib/runtime/local/local-reeve.ts has it. */
const retryAfterMs = 250;

export function world(setting: Setting, around: SimContext, breach: Breach): World {
  const { timeline } = around;
  const { oneProcess } = setting;
  let calmSince: number | null = null;

  const plant: SharedInfrastructure = sharedInfrastructure(setting, around, breach, {
    pump: (queue) => carrier.pump(queue),
    pumpStream: () => carrier.pumpStream(),
    handOver: (shard) => sweeps.handOver(shard),
    wrote({ after }) {
      if (calmSince !== null) helpOut(plant, fleet, after);
    },
  });
  const { table, queues, stream } = plant;
  const fleet = fleetOf({
    around,
    oneProcess,
    hostOn: (machine, release) => hostOf(machine, release, plant),
    onBoot: startOneProcess,
    onDeath() {
      if (oneProcess) for (const queue of allOf(queues)) queue.drop();
    },
  });
  const carrier = deliveries({ plant, fleet, retryAfterMs: oneProcess ? retryAfterMs : null });
  const isIdle = () =>
    table.isIndexed() &&
    stream.size() === 0 &&
    [...allOf(queues), queues.retries].every((queue) => queue.size() === 0) &&
    fleet.all().every(({ running }) => running === 0);
  const sweeps = sweepsOf({
    plant,
    fleet,
    setting,
    idleUntil: () => {
      const isOver = calmSince !== null && timeline.now() > calmSince + aftermathMs;
      return isOver && isIdle() ? nextDue(table, timeline.now()) : 0;
    },
  });

  return {
    setting,
    plant,
    fleet,
    sweeps,
    isIdle,
    calm() {
      calmSince = timeline.now();
      for (const queue of allOf(queues)) queue.hideFor(longestWorkMs);
      for (const record of recordsOf(table)) helpOut(plant, fleet, record);
    },
  };
}

/** In the calm, an operator sees to every order that stopped, until it goes on. */
function helpOut(plant: SharedInfrastructure, fleet: Fleet, { orderId }: ProcessRecord): void {
  if (plant.table.record(orderId)?.processState !== 'Error') return;
  plant.around.timeline.at(fleet.soon(5_000), () => {
    const record = plant.table.record(orderId);
    const host = fleet.pick('door');
    if (record?.processState !== 'Error') return;
    helpOut(plant, fleet, record);
    if (host === null) return;
    invoke(host, plant, async () => {
      await host.operator.resubmit(orderId, 'otto');
    });
  });
}

/** When a sweep will find something: what is due, or, each hour, what is due too far ahead. */
function nextDue(table: SimTable, now: number): number {
  const nextHour = (Math.floor(now / HOUR) + 1) * HOUR;
  const times = table.dueTimes().map((due) => (due > now + dueHorizonMs ? nextHour : due));
  return times.length === 0 ? 0 : Math.min(...times);
}
