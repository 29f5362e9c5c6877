/**
 * One tick of the Supervisor's schedule where ticks may overlap. It sweeps each shard under a short lease, if the shard
 * has work. A tick recovers the first page of every shard itself, so that each tick makes progress, and hands a shard
 * with more pages over to a sweep of its own.
 *
 * The lease only saves work; correctness does not depend on it (R11). The memory of a shard is kept until the shard is
 * finished: the time when a sweep last reached it, and the outages it recovers from (R20).
 */
import { gapsAt } from '#core/decide/sweep-gaps.ts';
import type { Clock } from '#ports/clock.ts';
import type { Coordination, SweepMemory } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { allEnded } from './all-ended.ts';
import {
  asKnown,
  gapsElsewhere,
  memoryOf,
  recalledForMs,
  type Shard,
} from './recovery/shard-memory.ts';
import type { Supervisor } from './supervisor.ts';

/** The sweeps of one invocation. */
export interface SweepTick {
  /**
   * Sweeps the first page of every shard. When a shard cannot be swept, it rejects after the others were.
   *
   * @param counted is given what was counted, some shards at a time, also by a tick that then rejects
   */
  tick(counted?: (report: TickReport) => void): Promise<TickReport>;
  /** Sweeps a shard that a tick handed over, until `mayContinue` returns false. */
  shard(shard: number, mayContinue: () => boolean): Promise<TickReport>;
}

/** The counts of one tick, for metrics. */
export interface TickReport {
  readonly found: number;
  readonly recovered: number;
  /** Orders to be dispatched again after an outage, without a failure counted. */
  readonly interrupted: number;
  /** Shards, not orders. */
  readonly handedOver: number;
  /** The longest time that any of the orders had been due, ms. */
  readonly lagMs: number;
}

/** The ports of {@link sweepTick}. */
export interface SweepTickPorts {
  readonly supervisor: Supervisor;
  readonly store: Pick<StateStore, 'due' | 'dueShards' | 'dueShardsMax' | 'dueShardOf'>;
  readonly coordination: Coordination;
  readonly clock: Clock;
  /** Names this sweep in its leases; unique per tick. */
  readonly holder: string;
  /** Starts a sweep of the shard in another invocation. */
  readonly handOver: (shard: number) => Promise<void>;
  /** The duration of a lease, ms: longer than a sweep may run. */
  readonly leaseMs: number;
  /** Sends the delayed messages of the shard whose instants are near; never rejects. */
  readonly lookAhead: (shard: number) => Promise<void>;
}

/**
 * Between searches for due times that a wrong clock wrote too far ahead, and for orders in shards that no tick knows, ms; once per
 * hour because they cost reads.
 */
const repairEveryMs = 3_600_000;

const nothing: TickReport = { found: 0, recovered: 0, interrupted: 0, handedOver: 0, lagMs: 0 };

/** Makes the sweep tick of one invocation. */
export function sweepTick(ports: SweepTickPorts): SweepTick {
  const { coordination, clock, store } = ports;
  return {
    async tick(counted = () => {}) {
      const recalledAt = clock.now();
      const memory = await coordination.recall(store.dueShards);
      const sweepFrom = (from: number, to: number) =>
        sweepEach(ports, { memory, recalledAt, counted }, range(from, to));
      const known = await sweepFrom(0, memory.shards);
      // No shard could be reached: this counts as no tick, so that the next one detects the outage (R20).
      if (known.reached.length === 0) return total(known.outcomes.map(reportOf));
      let { shards: inUse } = memory;
      if (isNewHour(memory, recalledAt)) {
        await allEnded(known.reached.map((shard) => ports.supervisor.repairShard(shard)));
        inUse = await shardsInUse(store, inUse);
      }
      // The next tick takes a shard that this one counts as finished: so it must have been swept, also after an outage (R20).
      const found = await sweepFrom(memory.shards, inUse);
      const failed = [...known.failed, ...found.failed];
      await leaveMemories(ports, failed);
      await Promise.all([...known.reached, ...found.reached].map(ports.lookAhead));
      const outcomes = [...known.outcomes, ...found.outcomes];
      const isReached = outcomes.every(
        (outcome) => outcome.status === 'fulfilled' && outcome.value.reached,
      );
      await coordination.remember({
        ...{ sweptAt: recalledAt, nowMs: clock.now() },
        // Before the first such tick, a shard without a memory was last reached by the tick before this one.
        reachedAt: isReached ? recalledAt : earlier(memory.reachedAt ?? memory.sweptAt, recalledAt),
        shardCounts: [...new Set([...memory.shardCounts, store.dueShards, inUse])],
        complete: failed.length === 0,
      });
      return total(outcomes.map(reportOf));
    },

    async shard(shard, mayContinue) {
      const recalledAt = clock.now();
      const memory = await coordination.recall(store.dueShards);
      // Another sweep has finished it in the meantime.
      if (!memory.unfinished.has(shard)) return nothing;
      const { report } = await underLease(ports, { shard, memory, recalledAt }, mayContinue);
      return report;
    },
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** Sweeps the first page of each of these shards. */
async function sweepEach(
  ports: SweepTickPorts,
  { counted, ...recalled }: Omit<Shard, 'shard'> & { counted: (report: TickReport) => void },
  shards: readonly number[],
) {
  const outcomes = await Promise.allSettled(
    shards.map((shard) => sweepFirst(ports, { ...recalled, shard })),
  );
  counted(total(outcomes.filter(({ status }) => status === 'fulfilled').map(reportOf)));
  const ended = (status: 'fulfilled' | 'rejected') =>
    shards.filter((_, at) => outcomes[at]?.status === status);
  return { outcomes, reached: ended('fulfilled'), failed: ended('rejected') };
}

/** Null for an instant in the future, which a wrong clock wrote. */
const earlier = (instant: number | null, nowMs: number) =>
  instant !== null && instant <= nowMs ? instant : null;

function reportOf(outcome: PromiseSettledResult<Swept>): TickReport {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value.report;
}

function isNewHour({ sweptAt }: SweepMemory, nowMs: number): boolean {
  const hour = (at: number) => Math.floor(at / repairEveryMs);
  return sweptAt === null || hour(sweptAt) !== hour(nowMs);
}

/**
 * The number of shards that have orders, at least the known one. A release with more shards may have written orders to them, and have
 * been taken back before its Supervisor swept: then only their entries in the index say so (R16).
 */
async function shardsInUse(
  store: Pick<StateStore, 'due' | 'dueShardsMax'>,
  known: number,
): Promise<number> {
  const further = Array.from({ length: store.dueShardsMax - known }, (_, at) => known + at);
  const found = await allEnded(
    further.map(async (shard) => {
      const all = { shard, from: 0, to: Number.MAX_SAFE_INTEGER };
      const { items, cursor } = await store.due({ ...all, limit: 1, cursor: null });
      return items.length > 0 || cursor !== null ? shard + 1 : 0;
    }),
  );
  return Math.max(known, ...found);
}

/** The outcome of one shard. */
interface Swept {
  readonly report: TickReport;
  /** False when another sweep held the lease. */
  readonly reached: boolean;
  readonly stopped: boolean;
}
const quiet: Swept = { report: nothing, reached: true, stopped: false };
const held: Swept = { report: nothing, reached: false, stopped: false };

async function sweepFirst(ports: SweepTickPorts, of: Shard): Promise<Swept> {
  const { shard, memory, recalledAt } = of;
  const to = ports.clock.now();
  const due = await ports.store.due({ shard, from: 0, to, limit: 1, cursor: null });
  const isQuiet =
    !memory.unfinished.has(shard) &&
    gapsAt(memoryOf(of), recalledAt, ports.supervisor.outageAfterMs).length === 0;
  // The usual case: no work, so one read and no lease.
  if (due.items.length === 0 && due.cursor === null && isQuiet) return quiet;
  const swept = await underLease(ports, of, () => false);
  if (!swept.stopped) return swept;
  await ports.handOver(shard);
  return { ...swept, report: { ...swept.report, handedOver: 1 } };
}

/** What is known of the shard now: a tick may have waited for the index, or stood still, since it recalled. */
async function recalledRecently(
  { coordination, clock, store }: SweepTickPorts,
  of: Shard,
): Promise<Shard> {
  const nowMs = clock.now();
  if (nowMs - of.recalledAt <= recalledForMs) return of;
  return { ...of, recalledAt: nowMs, memory: await coordination.recall(store.dueShards) };
}

async function underLease(
  ports: SweepTickPorts,
  of: Shard,
  mayContinue: () => boolean,
): Promise<Swept> {
  const { coordination, clock, holder, leaseMs, store, supervisor } = ports;
  const recent = await recalledRecently(ports, of);
  const { shard, recalledAt } = recent;
  const lease = { holder, nowMs: clock.now(), leaseMs };
  const taken = await coordination.acquire(shard, lease, memoryOf(recent));
  if (taken === null) return held;
  let left = asKnown(taken, recent);
  let isFinished = false;
  try {
    const report = await supervisor.sweepShard({
      shard,
      memory: left,
      recalledAt,
      gapsElsewhere: gapsElsewhere({ store, outageAfterMs: supervisor.outageAfterMs }, recent),
      shards: recent.memory.shards,
      mayContinue,
      async keep(memory) {
        left = memory;
        await coordination.keep(shard, holder, memory);
      },
    });
    left = report.left;
    isFinished = report.finished && left.gaps.length === 0 && left.waitingFrom === null;
    const { found, recovered, interrupted, lagMs, stopped } = report;
    const own = { found, recovered, interrupted, lagMs, handedOver: 0 };
    return { report: own, reached: true, stopped };
  } finally {
    await (isFinished
      ? coordination.finish(shard, holder, left.aliveAt)
      : coordination.release(shard, holder, left));
  }
}

/** Shards that this tick could not reach keep the instant of an earlier tick, also when this tick reached others. */
async function leaveMemories(
  { coordination, clock, holder, leaseMs, store }: SweepTickPorts,
  shards: readonly number[],
): Promise<void> {
  if (shards.length === 0) return;
  const recalledAt = clock.now();
  // This tick may have begun long ago, and another one may have reached the shards since.
  const memory = await coordination.recall(store.dueShards);
  async function leave(shard: number): Promise<void> {
    const of = { shard, memory, recalledAt };
    const known = memory.unfinished.get(shard);
    if (known !== undefined && known.aliveAt !== null) return;
    const lease = { holder, nowMs: clock.now(), leaseMs };
    const taken = await coordination.acquire(shard, lease, memoryOf(of));
    if (taken === null) return;
    await coordination.release(shard, holder, asKnown(taken, of));
  }
  await allEnded(shards.map(leave));
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
