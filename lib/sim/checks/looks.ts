/**
 * When ticks of the Supervisor looked after which shard, as the world sees it: R20 forgives what nobody
 * could look after, and nothing else.
 */

import type { Breach } from '#checkers/violation.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';

export interface Looks {
  /** A tick has begun; what it gives is called when the tick got through to its end. */
  tickBegan(): () => void;
  /** A tick left the shard to another sweep, which may be dead. */
  refused(shard: number): void;
  /** The instants between which no tick looked after the shard, for longer than that. */
  blanks(shard: number, longerThanMs: number, until: number): readonly Blank[];
}

export interface Blank {
  readonly from: number;
  readonly until: number;
}

interface Run {
  readonly from: number;
  readonly until: number;
}

export function looks(now: () => number): Looks {
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
    blanks(shard, longerThanMs, until) {
      const seen = runs.filter(
        (run) =>
          !refusals.some((one) => one.shard === shard && one.at >= run.from && one.at <= run.until),
      );
      const blanks: Blank[] = [];
      let from = start;
      // A run looked after the shard at some instant of its own: a blank may reach into two runs.
      for (const run of [...seen.toSorted((a, b) => a.until - b.until), { from: until, until }]) {
        if (run.until - from > longerThanMs) blanks.push({ from, until: run.until });
        from = Math.max(from, run.from);
      }
      return blanks;
    },
  };
}

export interface Forgiveness {
  readonly writes: readonly Write[];
  readonly looks: Looks;
  readonly shardOf: (record: ProcessRecord) => number;
  readonly outageAfterMs: number;
}

/** R20: a failure is forgiven only where ticks did not run, or the store failed them. */
export function judgeOutages(
  { writes, looks: seen, shardOf, outageAfterMs }: Forgiveness,
  breach: Breach,
): void {
  for (const { before, after } of writes) {
    const entry = after.history.at(-1);
    if (before === null || entry?.type !== 'excused' || entry.reason !== 'outage') continue;
    const blanks = seen.blanks(shardOf(after), outageAfterMs, entry.at);
    for (const { name, progress } of before.steps) {
      if (!entry.steps.includes(name) || !underWay(progress)) continue;
      const { completeBy } = progress;
      const isExcusable = blanks.some(
        ({ from, until }) =>
          completeBy >= from - outageAfterMs && completeBy <= until + outageAfterMs,
      );
      if (!isExcusable) {
        breach('R20', `${name} of ${after.orderId} was forgiven, and ticks ran all the time`);
      }
    }
  }
}
