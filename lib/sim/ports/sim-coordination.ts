/** What Supervisors remember between sweeps: the table, and a machine’s access to it. */
import { clockToleranceMs } from '#core/decide/due.ts';
import { type ShardMemory, withReached } from '#core/decide/sweep-gaps.ts';
import {
  type Coordination,
  type Lease,
  type Mark,
  type SweepMemory,
  sweptShards,
} from '#ports/coordination.ts';
import type { Machine } from '#sim/world/machine.ts';

interface Held {
  readonly holder: string | null;
  readonly heldUntil: number;
  /** Null: the shard is finished. */
  readonly memory: ShardMemory | null;
  /** When a sweep that finished the shard reached it. */
  readonly finishedAt: number | null;
}

/** {@link Coordination} without delays. */
export interface CoordinationTable {
  recall(shards: number): SweepMemory;
  remember(mark: Mark): void;
  acquire(shard: number, lease: Lease, first: ShardMemory): ShardMemory | null;
  keep(shard: number, holder: string, memory: ShardMemory): void;
  release(shard: number, holder: string, left: ShardMemory): void;
  finish(shard: number, holder: string, aliveAt: number | null): void;
}

/** @param onRefused called where another holder has the lease of a shard */
export function coordinationTable(onRefused: () => void = () => {}): CoordinationTable {
  const taken = new Map<number, Held>();
  let swept: Mark | null = null;
  return {
    recall(shards) {
      const shardCounts = swept?.shardCounts ?? [];
      const all = Math.max(shards, sweptShards(shardCounts));
      const unfinished = new Map<number, ShardMemory>();
      for (const [shard, { memory }] of taken) {
        if (shard < all && memory !== null) unfinished.set(shard, memory);
      }
      return {
        sweptAt: swept?.sweptAt ?? null,
        reachedAt: swept?.reachedAt ?? null,
        shards: all,
        shardCounts,
        unfinished,
      };
    },
    remember(mark) {
      const isLater = (stored: number | null | undefined, marked: number) =>
        typeof stored === 'number' && stored > marked && stored <= mark.nowMs + clockToleranceMs;
      const stays = isLater(swept?.reachedAt, mark.reachedAt ?? 0);
      const reachedAt = stays ? (swept?.reachedAt ?? null) : mark.reachedAt;
      if (swept === null || !isLater(swept.sweptAt, mark.sweptAt)) swept = { ...mark, reachedAt };
      else if (mark.reachedAt === mark.sweptAt) swept = { ...swept, reachedAt };
    },
    acquire(shard, { holder, nowMs, leaseMs }, first) {
      const held = taken.get(shard);
      const until = held === undefined || held.holder === null ? null : held.heldUntil;
      const isHeld =
        until !== null && until >= nowMs && until <= nowMs + leaseMs + clockToleranceMs;
      if (isHeld && held?.holder !== holder) {
        onRefused();
        return null;
      }
      const memory = held?.memory ?? withReached(first, held?.finishedAt ?? null);
      taken.set(shard, { holder, heldUntil: nowMs + leaseMs, memory, finishedAt: null });
      return memory;
    },
    keep(shard, holder, memory) {
      const held = taken.get(shard);
      if (held?.holder === holder) taken.set(shard, { ...held, memory });
    },
    release(shard, holder, left) {
      const held = taken.get(shard);
      if (held?.holder !== holder) return;
      taken.set(shard, { ...held, holder: null, memory: left });
    },
    finish(shard, holder, aliveAt) {
      const held = taken.get(shard);
      if (held?.holder !== holder) return;
      taken.set(shard, { ...held, holder: null, memory: null, finishedAt: aliveAt });
    },
  };
}

export function simCoordination(table: CoordinationTable, machine: Machine): Coordination {
  const call = <Value>(what: string, act: () => Value) =>
    machine.call({ what, act, refusal: 'coordination-throttled' });
  return {
    recall: (shards) => call('recall', () => table.recall(shards)),
    remember: (mark) => call('remember', () => table.remember(mark)),
    acquire: (shard, lease, first) =>
      call(`acquire ${shard}`, () => table.acquire(shard, lease, first)),
    keep: (shard, holder, memory) => call(`keep ${shard}`, () => table.keep(shard, holder, memory)),
    release: (shard, holder, left) =>
      call(`release ${shard}`, () => table.release(shard, holder, left)),
    finish: (shard, holder, aliveAt) =>
      call(`finish ${shard}`, () => table.finish(shard, holder, aliveAt)),
  };
}
