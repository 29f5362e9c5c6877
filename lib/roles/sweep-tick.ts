/**
 * One tick of the Supervisor's schedule where many may tick at once: shard by shard, each under a short
 * lease while there is work. A tick recovers the first page of every shard itself, so that each tick gets
 * on, and hands a shard with more than that over to a sweep of its own.
 *
 * The lease saves work and nothing else (R11). What is remembered of a shard lasts as long as something
 * of it is unfinished: when a sweep last got through to it, and which outages it recovers from (R20).
 */
import { gapsAt, noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import type { Clock } from '#ports/clock.ts';
import type { Coordination, SweepMemory } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Supervisor } from './supervisor.ts';

export interface SweepTick {
  /** Every shard: a page of each. */
  tick(): Promise<TickReport>;
  /** The shard that a tick handed over, until `mayGoOn` says no. */
  shard(shard: number, mayGoOn: () => boolean): Promise<TickReport>;
}

export interface TickReport {
  readonly found: number;
  readonly recovered: number;
  /** Dispatched again after an outage, without a failure counted. */
  readonly interrupted: number;
  readonly handedOver: number;
  /** How long the order had been due that was due longest, ms. */
  readonly lagMs: number;
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

const nothing: TickReport = { found: 0, recovered: 0, interrupted: 0, handedOver: 0, lagMs: 0 };

export function sweepTick(ports: SweepTickPorts): SweepTick {
  const { coordination, clock, store } = ports;
  return {
    async tick() {
      const recalledAt = clock.now();
      const memory = await coordination.recall(store.dueShards);
      const shards = Array.from({ length: memory.shards }, (_, shard) => shard);
      const of = (shard: number): Shard => ({ shard, memory, recalledAt });
      const outcomes = await Promise.allSettled(
        shards.map((shard) => sweepFirst(ports, of(shard))),
      );
      const failed = shards.filter((shard) => outcomes[shard]?.status === 'rejected');
      // Nothing could be reached: there was no tick, and the next one sees it (R20).
      if (failed.length === shards.length) return total(outcomes.map(reportOf));
      await allEnded(failed.map((shard) => leaveMemory(ports, of(shard))));
      const reached = shards.filter((shard) => !failed.includes(shard));
      await repair(ports, memory, recalledAt, reached);
      const isReached = outcomes.every(
        (outcome) => outcome.status === 'fulfilled' && outcome.value.reached,
      );
      await coordination.remember({
        sweptAt: recalledAt,
        reachedAt: isReached ? recalledAt : earlier(memory.reachedAt, recalledAt),
        shards: memory.shards,
        complete: failed.length === 0,
      });
      return total(outcomes.map(reportOf));
    },

    async shard(shard, mayGoOn) {
      const recalledAt = clock.now();
      const memory = await coordination.recall(store.dueShards);
      // Another sweep has finished it in the meantime.
      if (!memory.unfinished.has(shard)) return nothing;
      const { report } = await underLease(ports, { shard, memory, recalledAt }, mayGoOn);
      return report;
    },
  };
}

/** Null for an instant that a clock saw which was wrong. */
const earlier = (instant: number | null, now: number) =>
  instant !== null && instant <= now ? instant : null;

function reportOf(outcome: PromiseSettledResult<Swept>): TickReport {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value.report;
}

/** A failure is told when all have ended: a function is frozen, whatever of it still runs. */
async function allEnded<Value>(work: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function repair(
  { supervisor }: SweepTickPorts,
  { sweptAt }: SweepMemory,
  now: number,
  shards: readonly number[],
): Promise<void> {
  const hour = (at: number) => Math.floor(at / repairEveryMs);
  if (sweptAt !== null && hour(sweptAt) === hour(now)) return;
  await allEnded(shards.map((shard) => supervisor.repairShard(shard)));
}

interface Shard {
  readonly shard: number;
  readonly memory: SweepMemory;
  readonly recalledAt: number;
}

/** What came of one shard. */
interface Swept {
  readonly report: TickReport;
  /** False when another sweep held it. */
  readonly reached: boolean;
  readonly stopped: boolean;
}
const quiet: Swept = { report: nothing, reached: true, stopped: false };
const held: Swept = { report: nothing, reached: false, stopped: false };

/** A finished shard was last reached by the last tick. */
function memoryOf(of: Shard): ShardMemory {
  const own = of.memory.unfinished.get(of.shard);
  return own === undefined ? { ...noMemory, aliveAt: of.memory.sweptAt } : asKnown(own, of);
}

/**
 * A sweep that had recalled long ago may have left less than was known. A shard that was left unfinished
 * before a sweep of it ever got through was last reached by the last tick: an outage since then is an
 * outage for it as well.
 */
function asKnown(memory: ShardMemory, { memory: { reachedAt, sweptAt } }: Shard): ShardMemory {
  const known = [memory.aliveAt, reachedAt].flatMap((instant) => instant ?? []);
  return { ...memory, aliveAt: known.length === 0 ? sweptAt : Math.max(...known) };
}

async function sweepFirst(ports: SweepTickPorts, of: Shard): Promise<Swept> {
  const { shard, memory, recalledAt } = of;
  const to = ports.clock.now();
  const due = await ports.store.due({ shard, from: 0, to, limit: 1, cursor: null });
  const isQuiet =
    !memory.unfinished.has(shard) &&
    gapsAt(memoryOf(of), recalledAt, ports.supervisor.outageAfterMs).length === 0;
  // Nothing to do is the usual case, and costs one read and no lease.
  if (due.items.length === 0 && due.cursor === null && isQuiet) return quiet;
  const swept = await underLease(ports, of, () => false);
  if (!swept.stopped) return swept;
  await ports.handOver(shard);
  return { ...swept, report: { ...swept.report, handedOver: 1 } };
}

async function underLease(
  ports: SweepTickPorts,
  of: Shard,
  mayGoOn: () => boolean,
): Promise<Swept> {
  const { coordination, clock, holder, leaseMs, supervisor } = ports;
  const { shard, recalledAt } = of;
  const lease = { holder, now: clock.now(), leaseMs };
  const taken = await coordination.acquire(shard, lease, memoryOf(of));
  // Whoever holds it sees to it.
  if (taken === null) return held;
  let left: ShardMemory | null = asKnown(taken, of);
  try {
    const report = await supervisor.sweepShard({
      shard,
      memory: left,
      recalledAt,
      shards: of.memory.shards,
      mayGoOn,
      async keep(memory) {
        left = memory;
        await coordination.keep(shard, holder, memory);
      },
    });
    left = report.finished && report.left.gaps.length === 0 ? null : report.left;
    const { found, recovered, interrupted, lagMs, stopped } = report;
    const own = { found, recovered, interrupted, lagMs, handedOver: 0 };
    return { report: own, reached: true, stopped };
  } finally {
    await coordination.release(shard, holder, left);
  }
}

/** A shard that this tick could not reach was last reached by an earlier one, whatever the others were. */
async function leaveMemory(ports: SweepTickPorts, of: Shard): Promise<void> {
  const { coordination, clock, holder, leaseMs } = ports;
  const known = of.memory.unfinished.get(of.shard);
  if (known !== undefined && known.aliveAt !== null) return;
  const left = memoryOf(of);
  const taken = await coordination.acquire(of.shard, { holder, now: clock.now(), leaseMs }, left);
  if (taken === null) return;
  await coordination.release(of.shard, holder, asKnown(taken, of));
}

function total(reports: readonly TickReport[]): TickReport {
  return reports.reduce(
    (all, one) => ({
      found: all.found + one.found,
      recovered: all.recovered + one.recovered,
      interrupted: all.interrupted + one.interrupted,
      handedOver: all.handedOver + one.handedOver,
      lagMs: Math.max(all.lagMs, one.lagMs),
    }),
    nothing,
  );
}
