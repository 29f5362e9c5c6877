/**
 * One tick of the Supervisor's schedule where many may tick at once: shard by shard, each under a
 * short lease while there is work; a shard with much of it is handed over to a sweep of its own.
 *
 * The lease saves work and nothing else (R11). What a sweep leaves is remembered with the time of the
 * completed sweep before it, so that a recovery which takes many ticks goes on forgiving (R20).
 */
import { limits } from '#core/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Coordination, SweepMemory } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Supervisor } from './supervisor.ts';

export interface SweepTick {
  /** Every shard. */
  tick(mayGoOn: () => boolean): Promise<TickReport>;
  /** The shard that a tick handed over. */
  shard(shard: number, mayGoOn: () => boolean): Promise<TickReport>;
}

export interface TickReport {
  readonly found: number;
  readonly recovered: number;
  readonly handedOver: number;
  readonly outage: boolean;
}

export interface SweepTickPorts {
  readonly supervisor: Supervisor;
  readonly store: Pick<StateStore, 'due' | 'dueShards'>;
  readonly coordination: Coordination;
  readonly clock: Clock;
  /** Names this sweep in its leases: another one for each tick. */
  readonly holder: string;
  /** Has the shard swept elsewhere, soon. */
  readonly handOver: (shard: number) => Promise<void>;
  /** How long a shard may be held, ms: longer than a sweep may run. */
  readonly leaseMs: number;
}

/** What a wrong clock wrote far ahead can wait so long to be found, ms: looking costs reads. */
const repairEveryMs = 3_600_000;

const nothing: TickReport = { found: 0, recovered: 0, handedOver: 0, outage: false };

export function sweepTick(ports: SweepTickPorts): SweepTick {
  const { coordination, clock, store } = ports;
  return {
    async tick(mayGoOn) {
      const startedAt = clock.now();
      const memory = await coordination.recall(store.dueShards);
      const shards = Array.from({ length: memory.shards }, (_, shard) => shard);
      const reports = await allEnded(
        shards.map(async (shard) => {
          const wasUnfinished = memory.unfinished.has(shard);
          return sweepOne(
            ports,
            { shard, since: sweptSince(memory, shard), wasUnfinished },
            mayGoOn,
          );
        }),
      );
      const hour = (at: number) => Math.floor(at / repairEveryMs);
      if (memory.sweptAt === null || hour(memory.sweptAt) !== hour(startedAt)) {
        await allEnded(shards.map((shard) => ports.supervisor.repairShard(shard)));
      }
      await coordination.remember(startedAt, memory.shards);
      return total(reports);
    },

    async shard(shard, mayGoOn) {
      const memory = await coordination.recall(store.dueShards);
      // Another sweep has finished it in the meantime.
      if (!memory.unfinished.has(shard)) return nothing;
      const since = sweptSince(memory, shard);
      return underLease(ports, shard, since, () =>
        ports.supervisor.sweepShard(shard, since, mayGoOn),
      );
    },
  };
}

/** A failure is told when all have ended: a function is frozen, whatever of it still runs. */
async function allEnded<Value>(work: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * The sweep after which nothing of the shard was due any more. A shard that was left unfinished before
 * there was any is as old as the last tick: an outage since then is an outage for it as well.
 */
function sweptSince({ unfinished, sweptAt }: SweepMemory, shard: number): number | null {
  return unfinished.get(shard)?.previousSweepAt ?? sweptAt;
}

interface Shard {
  readonly shard: number;
  readonly since: number | null;
  readonly wasUnfinished: boolean;
}

async function sweepOne(
  ports: SweepTickPorts,
  { shard, since, wasUnfinished }: Shard,
  mayGoOn: () => boolean,
): Promise<TickReport> {
  const peek = { shard, from: 0, to: ports.clock.now(), limit: limits.sweepPage, cursor: null };
  const due = await ports.store.due(peek);
  if (due.cursor !== null) {
    const taken = await take(ports, shard, since);
    if (!taken) return nothing;
    await ports.coordination.giveBack(shard, ports.holder, false);
    await ports.handOver(shard);
    return { ...nothing, handedOver: 1 };
  }
  const sweep = () => ports.supervisor.sweepShard(shard, since, mayGoOn);
  // Nothing to do is the usual case, and costs one read and no lease.
  return due.items.length > 0 || wasUnfinished ? underLease(ports, shard, since, sweep) : nothing;
}

const take = (
  { coordination, clock, holder, leaseMs }: SweepTickPorts,
  shard: number,
  since: number | null,
) => coordination.take(shard, { holder, now: clock.now(), leaseMs, previousSweepAt: since });

async function underLease(
  ports: SweepTickPorts,
  shard: number,
  since: number | null,
  sweep: () => ReturnType<Supervisor['sweepShard']>,
): Promise<TickReport> {
  if (!(await take(ports, shard, since))) return nothing;
  let finished = false;
  try {
    const report = await sweep();
    finished = report.finished;
    const { found, recovered, outage } = report;
    return { found, recovered, outage, handedOver: 0 };
  } finally {
    await ports.coordination.giveBack(shard, ports.holder, finished);
  }
}

function total(reports: readonly TickReport[]): TickReport {
  return reports.reduce(
    (all, one) => ({
      found: all.found + one.found,
      recovered: all.recovered + one.recovered,
      handedOver: all.handedOver + one.handedOver,
      outage: all.outage || one.outage,
    }),
    nothing,
  );
}
