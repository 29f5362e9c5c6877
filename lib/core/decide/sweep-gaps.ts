/**
 * Detects outages of the platform and the attempts they interrupted (R20). It owns the memory of one shard
 * between sweeps; `recovery.ts` owns the transitions of an order.
 *
 * An outage is a period in which no sweep succeeded: no tick ran, or the store refused every request.
 * A sweep that is late is not an outage: the timeouts that it has not reached yet count as failures.
 *
 * | last successful sweep | known outages | outages of the next sweep |
 * | --- | --- | --- |
 * | never | any | the known ones |
 * | at most `outageAfterMs` ago | none | none |
 * | at most `outageAfterMs` ago | some | the known ones |
 * | longer ago | any | the known ones, and the time since then |
 *
 * A sweep leaves a late call alone while its reply may wait in its queue. An outage that follows delays that reply as well, and a
 * sweep that only left calls alone does not show that the store accepts writes. So an outage begins with the earliest complete-by of
 * the calls that the last successful sweep left alone.
 */

import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { callPolicy } from '#core/model/policy.ts';
import {
  actionOf,
  type ProcessRecord,
  type StepRecord,
  type UnderWay,
  underWay,
} from '#core/model/record.ts';
import { clockToleranceMs } from './due.ts';

/** An outage, from the last successful sweep before it, or what that left alone, to the begin of the first one after it; ms since the epoch. */
export interface Gap {
  readonly from: number;
  readonly until: number;
}

/** Where a {@link Gap} begins in which no sweep reached a shard because no Supervisor knew of it. The platform may have been well. */
export const neverReached = 0;

/** What one sweep of a shard stores for the next. */
export interface ShardMemory {
  /** When a sweep last succeeded: the store answered, and accepted a write if it was asked for any. Null: never. */
  readonly aliveAt: number | null;
  /** The earliest complete-by of the calls that this sweep left alone because their replies may wait; null: none. */
  readonly waitingFrom: number | null;
  /** The outages whose interrupted orders may not all be recovered yet, oldest first. */
  readonly gaps: readonly Gap[];
  /** When the recovery ramp allows the next interrupted orders to be dispatched; ms since the epoch. */
  readonly rampAt: number;
}

/** The memory of a shard that was never swept. */
export const noMemory: ShardMemory = { aliveAt: null, waitingFrom: null, gaps: [], rampAt: 0 };

/** The memory of a shard that a sweep is also known to have reached at these instants; null: it is not known. */
export function withReached(
  memory: ShardMemory,
  ...instants: readonly (number | null)[]
): ShardMemory {
  const known = [memory.aliveAt, ...instants].filter((instant) => instant !== null);
  return { ...memory, aliveAt: known.length === 0 ? null : Math.max(...known) };
}

/** The outages whose attempts a sweep that begins now treats as interrupted. */
export function gapsAt(
  { aliveAt, waitingFrom, gaps }: ShardMemory,
  nowMs: number,
  outageAfterMs: number,
): readonly Gap[] {
  // Only a wrong clock can have recorded an outage that ends in the future.
  const known = gaps.filter(({ until }) => until <= nowMs + clockToleranceMs);
  if (aliveAt === null || nowMs - aliveAt <= outageAfterMs) return known;
  return bounded(joined(known, { from: Math.min(aliveAt, waitingFrom ?? aliveAt), until: nowMs }));
}

/** Merges overlapping outages: an outage continues while the store refuses every write. A gap from {@link neverReached} stays apart. */
function joined(known: readonly Gap[], gap: Gap): readonly Gap[] {
  const apart = known.filter(({ from, until }) => until < gap.from || from === neverReached);
  const from = Math.min(gap.from, ...known.slice(apart.length).map((other) => other.from));
  return [...apart, { from, until: gap.until }];
}

/** Merges the two oldest outages over the limit: attempts between them count as interrupted as well. */
function bounded(gaps: readonly Gap[]): readonly Gap[] {
  const [first, second, ...rest] = gaps;
  if (gaps.length <= limits.gapsMax || first === undefined || second === undefined) return gaps;
  return bounded([{ from: first.from, until: second.until }, ...rest]);
}

/**
 * The outages to remember once all due orders are recovered: an attempt that an outage interrupted may be
 * due after the sweep.
 */
export function gapsLeft(
  gaps: readonly Gap[],
  nowMs: number,
  outageAfterMs: number,
): readonly Gap[] {
  return gaps.filter(({ until }) => nowMs <= until + 2 * outageAfterMs);
}

/** The steps that are past their complete-by because of an outage. */
export function interruptedSteps(
  { steps }: ProcessRecord,
  gaps: readonly Gap[],
  nowMs: number,
  outageAfterMs: number,
): readonly StepName[] {
  return steps.flatMap((step) => {
    const { name, progress } = step;
    if (!underWay(progress) || progress.completeBy >= nowMs) return [];
    return gaps.some((gap) => isWithin(gap, step, progress, outageAfterMs)) ? [name] : [];
  });
}

/**
 * An outage interrupted an attempt that began before the end of the outage, and whose complete-by lies
 * within the outage or at most `outageAfterMs` from it. Before it, because the last sweep could not see the
 * attempt yet: due times are rounded up, and the index lags. After it, because its messages were delayed.
 */
function isWithin(
  { from, until }: Gap,
  { policy }: StepRecord,
  progress: UnderWay,
  outageAfterMs: number,
): boolean {
  const { completeBy, endBy } = progress;
  const begunAt = endBy - callPolicy(policy, actionOf(progress)).maxDurationMs;
  return (
    begunAt < until && completeBy >= from - outageAfterMs && completeBy < until + outageAfterMs
  );
}
