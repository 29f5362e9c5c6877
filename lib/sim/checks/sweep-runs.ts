/**
 * When ticks of the Supervisor covered each shard, as the world sees it: by R20, only steps that no tick could
 * cover count as interrupted.
 */

import type { Breach } from '#checkers/violation.ts';
import { leftAloneMaxMs } from '#core/flow/reply-delay.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';

export interface SweepRuns {
  /** Records the start of a tick that knows so many shards; the returned function records its completion. */
  tickBegan(shards: number): () => void;
  /** The sweep of one process that began then is complete. */
  swept(from: number): void;
  /** A tick left a shard to another sweep, which may have crashed. */
  refused(): void;
  /** The gaps longer than `longerThanMs` in which no tick covered the shard. */
  gaps(shard: number, longerThanMs: number, until: number): readonly Gap[];
  /** The time before the first tick that covered the shard, if ticks before it knew fewer shards. */
  unknown(shard: number): readonly Gap[];
}

export interface Gap {
  readonly from: number;
  readonly until: number;
}

interface Run {
  readonly shards: number;
  readonly from: number;
  readonly until: number;
}

export function sweepRuns(now: () => number): SweepRuns {
  const runs: Run[] = [];
  const refusals: number[] = [];
  const start = now();
  /** Of any tick, also of one that failed: what it wrote of the shards that it reached stays. */
  let fewestShards = Number.POSITIVE_INFINITY;
  // Of a tick that left one shard to another sweep, the mark does not say that it reached the others, of which a sweep that died may
  // have left an older memory.
  const covering = (shard: number) =>
    runs.filter(
      (run) => run.shards > shard && !refusals.some((at) => at >= run.from && at <= run.until),
    );
  return {
    tickBegan(shards) {
      const from = now();
      fewestShards = Math.min(fewestShards, shards);
      return () => runs.push({ shards, from, until: now() });
    },
    swept(from) {
      if (runs.at(-1)?.from !== from) runs.push({ shards: 1, from, until: now() });
    },
    refused() {
      refusals.push(now());
    },
    gaps(shard, longerThanMs, until) {
      const gaps: Gap[] = [];
      let from = start;
      // A run covered the shard at an unknown instant of its own, so a gap may extend into two runs.
      for (const run of [
        ...covering(shard).toSorted((a, b) => a.until - b.until),
        { from: until, until },
      ]) {
        if (run.until - from > longerThanMs) gaps.push({ from, until: run.until });
        from = Math.max(from, run.from);
      }
      return gaps;
    },
    unknown(shard) {
      if (fewestShards > shard) return [];
      return [{ from: start, until: Math.min(...covering(shard).map((run) => run.until)) }];
    },
  };
}

export interface OutageJudgement {
  readonly writes: readonly Write[];
  readonly sweepRuns: SweepRuns;
  /** The shards that it was written to: of two releases, each may have another number of them. */
  readonly shardsOf: (record: ProcessRecord) => readonly number[];
  /** Those that it has by the number of each release: sweeps do not know which of them wrote it. */
  readonly shardsByRelease: (record: ProcessRecord) => readonly number[];
  readonly outageAfterMs: number;
  /** Whether replies of the agent ever waited, so that sweeps may have left its late calls alone until an outage began. */
  readonly haveRepliesWaited: (agent: AgentName) => boolean;
}

/** R20: an attempt counts as interrupted only where ticks did not run, or the store failed them. */
export function judgeOutages(
  { writes, sweepRuns: seen, shardsOf, shardsByRelease, ...world }: OutageJudgement,
  breach: Breach,
): void {
  const { outageAfterMs, haveRepliesWaited } = world;
  // A sweep takes an order as written by any release, also where one release alone wrote it.
  const allShardsOf = (record: ProcessRecord) =>
    new Set([...shardsOf(record), ...shardsByRelease(record)]);
  for (const { before, after } of writes) {
    const entry = after.history.at(-1);
    if (before === null || entry?.type !== 'interrupted' || entry.reason !== 'outage') continue;
    const gaps = [
      ...[...allShardsOf(after)].flatMap((shard) => seen.gaps(shard, outageAfterMs, entry.at)),
      ...shardsByRelease(after).flatMap(seen.unknown),
    ];
    // A sweep leaves an order alone with all of its calls.
    const isLeftAlone = before.steps.some(
      ({ agent, progress }) => underWay(progress) && haveRepliesWaited(agent),
    );
    const leftMs = isLeftAlone ? leftAloneMaxMs : 0;
    for (const { name, progress } of before.steps) {
      if (!entry.steps.includes(name) || !underWay(progress)) continue;
      const { completeBy } = progress;
      const isInGap = gaps.some(
        ({ from, until }) =>
          completeBy >= from - outageAfterMs - leftMs && completeBy <= until + outageAfterMs,
      );
      if (!isInGap) {
        breach(
          'R20',
          `${name} of ${after.orderId} counted as interrupted although ticks ran throughout`,
        );
      }
    }
  }
}
