/**
 * The Supervisor: finds orders past their complete-by and requests their recovery. It knows nothing of the
 * business. Any number of overlapping sweeps gives the result of one (R11).
 */
import { dueHorizonMs } from '#core/decide/due.ts';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { StateStore } from '#ports/state-store.ts';
import {
  added,
  expired,
  nothingRecovered,
  type Recovered,
  recoverPage,
} from './recovery/recover-page.ts';
import {
  assertWritten,
  pagesOf,
  type ShardReport,
  type ShardSweep,
  type ShardSweepPorts,
  type SweepReport,
  sweepShard,
} from './recovery/sweep-shard.ts';

/** The ports of {@link supervisor}. */
export interface SupervisorPorts extends ShardSweepPorts {
  readonly store: Pick<StateStore, 'due' | 'dueShards'>;
}

/** Sweeps and repairs shards of the due index. */
export interface Supervisor {
  /** The number of shards. */
  readonly shards: number;
  readonly outageAfterMs: number;
  /** Sweeps and repairs every shard in turn; reads the memory of each from `memories`, and updates it there. */
  sweep(memories: Map<number, ShardMemory>): Promise<SweepReport>;
  /**
   * Recovers the overdue orders of one shard.
   *
   * @throws {UnavailableError} `sweep-unwritten` when the store refused every write
   */
  sweepShard(sweep: ShardSweep): Promise<ShardReport>;
  /**
   * Recovers those of these orders that are due, and counts their failures.
   *
   * @param isForSweeps whether an outage may have delayed them, which only sweeps know: then they are left alone. It is asked when the
   *   record is known, because the process may have been paused until then.
   */
  recover(orderIds: readonly OrderId[], isForSweeps: () => boolean): Promise<Recovered>;
  /** Recovers orders of one shard that are due later than any correct clock writes, and so would never be due (R14). */
  repairShard(shard: number): Promise<void>;
}

/** Makes a Supervisor. */
export function supervisor(ports: SupervisorPorts): Supervisor {
  const { clock, log, store } = ports;
  const every = Array.from({ length: store.dueShards }, (_, shard) => shard);

  async function repairShard(shard: number): Promise<void> {
    const from = clock.now() + dueHorizonMs;
    let total = nothingRecovered;
    for await (const page of pagesOf(ports, { shard, from, to: Number.MAX_SAFE_INTEGER })) {
      total = added(total, await recoverPage(ports, page.items, () => expired));
    }
    assertWritten(total);
    if (total.found > 0) log.error('deadlines-repaired', { orders: total.found });
  }

  return {
    shards: every.length,
    outageAfterMs: ports.outageAfterMs,
    sweepShard: (sweep) => sweepShard(ports, sweep),
    recover: (orderIds, isForSweeps) =>
      recoverPage(ports, orderIds, () => (isForSweeps() ? null : expired)),
    repairShard,
    async sweep(memories) {
      const startedAt = clock.now();
      const reports: SweepReport[] = [];
      for (const shard of every) {
        const keep = async (left: ShardMemory) => {
          memories.set(shard, left);
        };
        const memory = memories.get(shard) ?? noMemory;
        const own = { shard, memory, keep, recalledAt: clock.now(), shards: every.length };
        const gapsElsewhere = () => [];
        const report = await sweepShard(ports, {
          ...{ ...own, gapsElsewhere, mayContinue: () => true },
        });
        memories.set(shard, report.left);
        reports.push(report);
        await repairShard(shard);
      }
      return totalOf(startedAt, reports);
    },
  };
}

function totalOf(startedAt: number, reports: readonly SweepReport[]): SweepReport {
  const total = reports.reduce<Recovered>(
    (all, report) => added(all, { ...report, unwritten: 0, waitingFrom: null }),
    nothingRecovered,
  );
  return {
    ...total,
    startedAt,
    outage: reports.some(({ outage }) => outage),
    finished: reports.every(({ finished }) => finished),
  };
}
