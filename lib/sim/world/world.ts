/** A world: the shared infrastructure and the machines, composed by its setting. */

import type { Breach } from '#checkers/violation.ts';
import { dueHorizonMs } from '#core/decide/due.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { interruptedUntil, type RestartInterruption } from '#sim/faults/platform-outage.ts';
import { deliveries, invoke } from '#sim/ports/deliveries.ts';
import { allOf } from '#sim/ports/queues.ts';
import { recordsOf, type SimTable } from '#sim/ports/sim-table.ts';
import { type Fleet, fleet as fleetOf } from './fleet.ts';
import { type Host, host as hostOf } from './host.ts';
import { startOneProcess } from './one-process.ts';
import type { Setting } from './setting.ts';
import { type SharedInfrastructure, sharedInfrastructure } from './shared-infrastructure.ts';
import type { SimContext } from './sim-context.ts';
import { type Sweeps, sweeps as sweepsOf } from './sweeps.ts';

export interface World {
  readonly setting: Setting;
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly sweeps: Sweeps;
  /** From now on, orders in Error are resubmitted soon, and idle time is skipped. */
  calm(): void;
  /** When that was; null before. */
  calmSince(): number | null;
  /** What the restarts of the one process interrupted. */
  readonly restarts: readonly RestartInterruption[];
  /** Whether no message, change or work is pending. */
  isIdle(): boolean;
}

/** What is in flight when the faults end, or is delayed then, may arrive within this, ms. */
export const aftermathMs = limits.messageDelayMaxMs + 300_000;
const hourMs = 3_600_000;
/**
 * In the calm phase a queue hides a request for longer than any work on it takes, ms, as deployed queues do.
 * Otherwise an attempt whose deadline a wrong clock set days ahead is received again before its end, repeatedly.
 */
const longestWorkMs = 60_000;
/** How soon a process redelivers unacknowledged messages, ms, as in lib/runtime/local/local-channels.ts. */
const retryAfterMs = 250;

export function world(setting: Setting, around: SimContext, breach: Breach): World {
  const { timeline } = around;
  const { oneProcess } = setting;
  let calmSince: number | null = null;
  const restarts: RestartInterruption[] = [];

  const shared: SharedInfrastructure = sharedInfrastructure(setting, around, breach, {
    pump: (queue) => carrier.pump(queue),
    pumpStream: () => carrier.pumpStream(),
    handOver: (shard) => sweeps.handOver(shard),
    wrote({ before, after }) {
      for (const { onRecord } of fleet.all()) onRecord(after, before);
      if (calmSince !== null) operate(after);
    },
  });
  const { table, queues, stream } = shared;
  const fleet = fleetOf({
    around,
    oneProcess,
    hostOn: (machine, release) => hostOf(machine, release, shared),
    onBoot(host) {
      if (oneProcess) restarts.push(restartOf(host, table));
      startOneProcess(host);
    },
  });
  const carrier = deliveries({ shared, fleet, retryAfterMs: oneProcess ? retryAfterMs : null });
  const operate = operatorOfStopped(shared, fleet);
  const isIdle = () =>
    table.isIndexed() &&
    stream.size() === 0 &&
    [...allOf(queues), queues.retries].every((queue) => queue.size() === 0) &&
    fleet.all().every(({ running }) => running === 0);
  const sweeps = sweepsOf({
    shared,
    fleet,
    setting,
    idleUntil: () => {
      const isOver = calmSince !== null && timeline.now() > calmSince + aftermathMs;
      // An operator resubmits an order in Error soon, and it is due then.
      const isResubmitted = recordsOf(table).some(({ processState }) => processState === 'Error');
      return isOver && isIdle() && !isResubmitted ? nextDue(table, timeline.now()) : 0;
    },
  });

  return {
    setting,
    shared,
    fleet,
    sweeps,
    restarts,
    isIdle,
    calmSince: () => calmSince,
    calm() {
      calmSince = timeline.now();
      for (const queue of allOf(queues)) queue.hideFor(longestWorkMs);
      for (const record of recordsOf(table)) operate(record);
    },
  };
}

function restartOf({ machine: { name: by } }: Host, table: SimTable): RestartInterruption {
  return { by, attempts: interruptedUntil(Number.POSITIVE_INFINITY, 0, recordsOf(table)) };
}

/**
 * In the calm phase, an operator resubmits every stopped order until it continues. One that stops again and again is cancelled, where the
 * subject says so.
 */
function operatorOfStopped(
  shared: SharedInfrastructure,
  fleet: Fleet,
): (record: ProcessRecord) => void {
  const times = new Map<OrderId, number>();
  const { resubmitsMax } = shared.around.subject;

  return function operate({ orderId }) {
    if (shared.table.record(orderId)?.processState !== 'Error') return;
    shared.around.timeline.at(fleet.soon(5_000), () => {
      const record = shared.table.record(orderId);
      const host = fleet.pick('door');
      if (record?.processState !== 'Error') return;
      operate(record);
      if (host === null) return;
      const time = (times.get(orderId) ?? 0) + 1;
      times.set(orderId, time);
      // A cancel may be refused: it is tried every other time.
      const isHopeless = time > resubmitsMax && time % 2 === 0 && record.direction === 'forward';
      const type = isHopeless ? 'cancel' : 'resubmit';
      invoke(host, shared, async () => {
        const answered = shared.rules.asking({ orderId, type, by: 'otto' });
        answered((await host.operator[type](orderId, 'otto')).kind);
      });
    });
  };
}

/** When a sweep will find orders: at the next due time, or hourly for those due beyond the horizon. */
function nextDue(table: SimTable, nowMs: number): number {
  const nextHour = (Math.floor(nowMs / hourMs) + 1) * hourMs;
  const times = table.dueTimes().map((due) => (due > nowMs + dueHorizonMs ? nextHour : due));
  return times.length === 0 ? 0 : Math.min(...times);
}
