/**
 * When ticks of the Supervisor looked after which shard, as the world sees it: R20 forgives what nobody
 * could look after, and nothing else.
 */

import type { Breach } from '#checkers/violation.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';

export interface SweepRuns {
  /** A tick has begun; what it gives is called when the tick got through to its end. */
  tickBegan(): () => void;
  /** A tick left the shard to another sweep, which may be dead. */
  refused(shard: number): void;
  /** The instants between which no tick looked after the shard, for longer than that. */
  gaps(shard: number, longerThanMs: number, until: number): readonly Gap[];
}

export interface Gap {
  readonly from: number;
  readonly until: number;
}

interface Run {
  readonly from: number;
  readonly until: number;
}

export function sweepRuns(now: () => number): SweepRuns {
  const runs: Run[] = [];
  const refusals: { readonly shard: number; readonly at: number }[] = [];
  const start = now();
  return {
    tickBegan() {
      const from = now();
      return () => runs.push({ from, until: now() });
    },
    refused(shard) {
      refusals.push({ shard, at: now() });
    },
    gaps(shard, longerThanMs, until) {
      const seen = runs.filter(
        (run) =>
          !refusals.some((one) => one.shard === shard && one.at >= run.from && one.at <= run.until),
      );
      const gaps: Gap[] = [];
      let from = start;
      // A run looked after the shard at some instant of its own: a blank may reach into two runs.
      for (const run of [...seen.toSorted((a, b) => a.until - b.until), { from: until, until }]) {
        if (run.until - from > longerThanMs) gaps.push({ from, until: run.until });
        from = Math.max(from, run.from);
      }
      return gaps;
    },
  };
}

export interface OutageJudgement {
  readonly writes: readonly Write[];
  readonly sweepRuns: SweepRuns;
  readonly shardOf: (record: ProcessRecord) => number;
  readonly outageAfterMs: number;
}

/** R20: an attempt counts as interrupted only where ticks did not run, or the store failed them. */
export function judgeOutages(
  { writes, sweepRuns: seen, shardOf, outageAfterMs }: OutageJudgement,
  breach: Breach,
): void {
  for (const { before, after } of writes) {
    const entry = after.history.at(-1);
    if (before === null || entry?.type !== 'interrupted' || entry.reason !== 'outage') continue;
    const gaps = seen.gaps(shardOf(after), outageAfterMs, entry.at);
    for (const { name, progress } of before.steps) {
      if (!entry.steps.includes(name) || !underWay(progress)) continue;
      const { completeBy } = progress;
      const isInGap = gaps.some(
        ({ from, until }) =>
          completeBy >= from - outageAfterMs && completeBy <= until + outageAfterMs,
      );
      if (!isInGap) {
        breach('R20', `${name} of ${after.orderId} was interrupted, and ticks ran all the time`);
      }
    }
  }
}
