/**
 * What is known of one shard before it is swept: its own memory where a tick left it unfinished, and otherwise what the mark of the last
 * tick says of all (R20).
 */
import {
  type Gap,
  gapsAt,
  neverReached,
  noMemory,
  type ShardMemory,
  withReached,
} from '#core/decide/sweep-gaps.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type SweepMemory, sweptShards } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';

/** A shard, and what was recalled of all of them then, ms since the epoch. */
export interface Shard {
  readonly shard: number;
  readonly memory: SweepMemory;
  readonly recalledAt: number;
}

/** How long what was recalled is believed, ms: short compared with an outage, and other ticks may reach the shards meanwhile. */
export const recalledForMs = 5_000;

/** Whether a sweep that begins now would interrupt steps of some shard, because an outage delayed them (R20). */
export function isAfterOutage(memory: SweepMemory, nowMs: number, outageAfterMs: number): boolean {
  const every = Array.from({ length: memory.shards }, (_, shard) => shard);
  return every.some((shard) =>
    gapsAt(memoryOf({ shard, memory, recalledAt: nowMs }), nowMs, outageAfterMs).some(
      ({ from }) => from !== neverReached,
    ),
  );
}

/**
 * A shard without a memory of its own was finished: the last tick reached it. No tick has swept one that is new, because the number of
 * shards was raised: for its calls the time until now is an outage, because Schedulers may have had the number for longer than any Supervisor.
 */
export function memoryOf(of: Shard): ShardMemory {
  const own = of.memory.unfinished.get(of.shard);
  if (own !== undefined) return asKnown(own, of);
  return { ...noMemory, aliveAt: of.memory.sweptAt, gaps: unsweptUntilNow(of) };
}

const unsweptUntilNow = ({ shard, memory, recalledAt }: Shard): readonly Gap[] => {
  const swept = sweptShards(memory.shardCounts);
  return swept > 0 && shard >= swept ? [{ from: neverReached, until: recalledAt }] : [];
};

/**
 * A sweep that read its memory long ago may have stored an older instant than is known now. A shard that became
 * unfinished before any sweep reached it was last reached by the last tick: an outage since then concerns it too. A new shard has a
 * memory where the first tick that took it did not come to its end; the ticks that did have not reached it.
 */
export function asKnown(memory: ShardMemory, of: Shard): ShardMemory {
  const unswept = unsweptUntilNow(of);
  if (unswept.length > 0) {
    const others = memory.gaps.filter(({ from }) => from !== neverReached);
    return { ...memory, gaps: [...unswept, ...others] };
  }
  const known = withReached(memory, of.memory.reachedAt);
  return known.aliveAt === null ? { ...known, aliveAt: of.memory.sweptAt } : known;
}

interface GapPorts {
  readonly store: Pick<StateStore, 'dueShards' | 'dueShardOf'>;
  readonly outageAfterMs: number;
}

/**
 * The outages of the other shards in which this release and others keep an order. An order moves with a write, and its former shard
 * knows of an outage that delayed its steps.
 */
export function gapsElsewhere(
  { store, outageAfterMs }: GapPorts,
  { shard, memory, recalledAt }: Shard,
): (orderId: OrderId) => readonly Gap[] {
  const counts = new Set([...memory.shardCounts, store.dueShards]);
  const gaps = new Map<number, readonly Gap[]>([[shard, []]]);
  function of(other: number): readonly Gap[] {
    const own = memoryOf({ shard: other, memory, recalledAt });
    const known = gaps.get(other) ?? gapsAt(own, recalledAt, outageAfterMs);
    gaps.set(other, known);
    return known;
  }
  return (orderId) => [...counts].flatMap((count) => of(store.dueShardOf(orderId, count)));
}
