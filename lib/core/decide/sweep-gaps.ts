/**
 * What an outage of the platform is, and which attempts it interrupted (R20). It owns the memory of one shard
 * between sweeps; `recovery.ts` owns what becomes of an order.
 *
 * An outage is a stretch of time in which no sweep got through: no tick ran, or the store refused every
 * one. A sweep that is behind is none: whatever it has not reached yet still counts as a failure.
 *
 * | last sweep that got through | outages known | the next sweep forgives |
 * | --- | --- | --- |
 * | never | any | those known |
 * | at most `outageAfterMs` ago | none | nothing |
 * | at most `outageAfterMs` ago | some | those known |
 * | longer ago | any | those known, and the time since then |
 */

import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import {
  type ProcessRecord,
  type StepRecord,
  type UnderWay,
  underWay,
} from '#core/model/record.ts';
import { clockToleranceMs } from './due.ts';

/** From the last sweep that got through, until the first one after it began; ms since the epoch. */
export interface Gap {
  readonly from: number;
  readonly until: number;
}

/** What one sweep of a shard leaves to the next. */
export interface ShardMemory {
  /** When a sweep last got through: the store answered, and did not refuse all that was written. */
  readonly aliveAt: number | null;
  /** The outages whose orders may not all have been recovered yet, oldest first. */
  readonly gaps: readonly Gap[];
  /** When the ramp allows the next orders that an outage delayed to be dispatched; ms. */
  readonly rampAt: number;
}

/** Nothing is known of the shard. */
export const noMemory: ShardMemory = { aliveAt: null, gaps: [], rampAt: 0 };

/** The outages that a sweep which begins now forgives. */
export function gapsAt(
  { aliveAt, gaps }: ShardMemory,
  nowMs: number,
  outageAfterMs: number,
): readonly Gap[] {
  // One that ends in the future was seen by a clock that was wrong.
  const known = gaps.filter(({ until }) => until <= nowMs + clockToleranceMs);
  if (aliveAt === null || nowMs - aliveAt <= outageAfterMs) return known;
  return bounded(joined(known, { from: aliveAt, until: nowMs }));
}

/** One that the store has refused to end goes on: it is the same outage. */
function joined(known: readonly Gap[], gap: Gap): readonly Gap[] {
  const apart = known.filter(({ until }) => until < gap.from);
  const from = Math.min(gap.from, ...known.slice(apart.length).map((other) => other.from));
  return [...apart, { from, until: gap.until }];
}

/** The two oldest become one: attempts between them count as interrupted as well. */
function bounded(gaps: readonly Gap[]): readonly Gap[] {
  const [first, second, ...rest] = gaps;
  if (gaps.length <= limits.gapsMax || first === undefined || second === undefined) return gaps;
  return bounded([{ from: first.from, until: second.until }, ...rest]);
}

/**
 * What must still be remembered when all that was due has been recovered: an attempt may be due later
 * than the sweep and belong to the outage.
 */
export function gapsLeft(
  gaps: readonly Gap[],
  nowMs: number,
  outageAfterMs: number,
): readonly Gap[] {
  return gaps.filter(({ until }) => nowMs <= until + 2 * outageAfterMs);
}

/** The steps past their complete-by because of an outage. */
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
 * An attempt belongs to an outage when it began before its end, and its complete-by lies in it, or no
 * farther from it than `outageAfterMs`. Before it: the last sweep could not see the attempt yet, because
 * due times are rounded up and the index lags. After it: its messages waited while the platform was away.
 */
function isWithin(
  { from, until }: Gap,
  { policy }: StepRecord,
  { completeBy, endBy }: UnderWay,
  outageAfterMs: number,
): boolean {
  const begunAt = endBy - policy.maxDurationMs;
  return (
    begunAt < until && completeBy >= from - outageAfterMs && completeBy < until + outageAfterMs
  );
}
