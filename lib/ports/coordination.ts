/**
 * The memory of Supervisors between sweeps, and the leases that divide the shards among them. Leases only
 * save work: concurrent sweeps have the effect of one (R11).
 */
import type { ShardMemory } from '#core/decide/sweep-gaps.ts';

/** The memory of all shards. Instants are ms since the epoch. */
export interface SweepMemory {
  /** The begin of the last tick after which every shard had a memory; null before the first. */
  readonly sweptAt: number | null;
  /** The begin of the last tick that swept every shard itself; of the first tick, before any did; null before that. */
  readonly reachedAt: number | null;
  /** The highest number of shards so far: orders from that time may still be in the index. */
  readonly shards: number;
  /** See {@link Mark}. Empty before the first tick: shards from the highest number on were never swept. */
  readonly shardCounts: readonly number[];
  /** The memory of each shard that a tick did not finish or could not sweep. */
  readonly unfinished: ReadonlyMap<number, ShardMemory>;
}

/** Every method may throw {@link UnavailableError}. */
export interface Coordination {
  /** @param shards the current number of shards */
  recall(shards: number): Promise<SweepMemory>;
  /**
   * Stores the mark of a tick. A later stored tick stays, because the information of a slow tick is
   * outdated; it is overwritten when no correct clock can have written it by now. A later `reachedAt` stays as well: a
   * tick that left out a shard knows only what it recalled, and another may have swept all shards since. A slow
   * tick that swept every shard itself stores its `reachedAt` all the same: the later one may have left out a shard.
   */
  remember(mark: Mark): Promise<void>;
  /**
   * Acquires the lease of the shard until `now + leaseMs` and marks the shard as unfinished. Returns the
   * memory of the shard, or null while another holder has the lease. A lease that ends later than a
   * correct clock can have set counts as expired: its holder may have crashed.
   *
   * @param first the memory of a shard that has none
   */
  acquire(shard: number, lease: Lease, first: ShardMemory): Promise<ShardMemory | null>;
  /** Stores the memory of the shard; does nothing when another holder has the lease. */
  keep(shard: number, holder: string, memory: ShardMemory): Promise<void>;
  /** Releases the lease, with the memory that the shard is left with; does nothing when another holder has the lease. */
  release(shard: number, holder: string, left: ShardMemory): Promise<void>;
  /**
   * Releases the lease of a shard that is finished; does nothing when another holder has the lease. The next
   * holder learns when the shard was reached, although its tick may have recalled before that.
   *
   * @param aliveAt when a sweep last reached the shard, ms since the epoch; null: none did
   */
  finish(shard: number, holder: string, aliveAt: number | null): Promise<void>;
}

/** How many shards a tick swept: the highest number that any release had; 0 before the first tick. */
export const sweptShards = (shardCounts: readonly number[]) => Math.max(0, ...shardCounts);

/** The result of a tick. */
export interface Mark {
  /** The begin of the tick, ms since the epoch. */
  readonly sweptAt: number;
  /** The instant at which the tick stores it, ms since the epoch: a tick may have stood still since it began. */
  readonly nowMs: number;
  /** See {@link SweepMemory}. */
  readonly reachedAt: number | null;
  /**
   * The numbers of shards that releases have had, as far as ticks know, with those that this tick found: an order moves to another
   * shard where they differ.
   */
  readonly shardCounts: readonly number[];
  /** Whether no shard failed. A failed shard has its own memory. */
  readonly complete: boolean;
}

/** A lease, from `nowMs` to `nowMs + leaseMs`. */
export interface Lease {
  readonly holder: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}
