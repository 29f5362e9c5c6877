/**
 * What Supervisors remember between sweeps, and how they keep out of each other's way. Leases only
 * save work: any number of sweeps at once do what one does (R11).
 */
import type { ShardMemory } from '#core/decide/sweep-gaps.ts';

export interface SweepMemory {
  /** When the last tick began that left no shard without a memory; null before the first. */
  readonly sweptAt: number | null;
  /** When the last tick began that looked after every shard itself; null before the first. */
  readonly reachedAt: number | null;
  /** The highest number of shards ever swept: orders of that time may still be in the index. */
  readonly shards: number;
  /** Shards in which something was left, or that a tick could not reach, with what is known of each. */
  readonly unfinished: ReadonlyMap<number, ShardMemory>;
}

/** Each method may throw {@link UnavailableError}. */
export interface Coordination {
  /** `shards`: how many there are now. */
  recall(shards: number): Promise<SweepMemory>;
  /**
   * Does nothing when a later tick is remembered: one that took long says nothing about now. One later
   * than any right clock would have it is overwritten. A later `reachedAt` stays as well: a tick that left out a
   * shard knows only what it recalled, and another may have reached all shards since.
   */
  remember(mark: Mark): Promise<void>;
  /**
   * Takes the shard until `now + leaseMs` and marks it unfinished; gives what is remembered of it, or
   * null while another holder has it. A lease that ends later than any right clock would have it end
   * holds nobody back: who took it may be dead, and its clock was days ahead.
   *
   * @param first what is remembered of a shard of which nothing is known
   */
  acquire(shard: number, lease: Lease, first: ShardMemory): Promise<ShardMemory | null>;
  /** Remembers this of a shard; does nothing when the lease has passed to another. */
  keep(shard: number, holder: string, memory: ShardMemory): Promise<void>;
  /**
   * Gives it back; does nothing when the lease has passed to another.
   *
   * @param left what is remembered of it; null when it is finished
   */
  release(shard: number, holder: string, left: ShardMemory | null): Promise<void>;
}

export interface Mark {
  readonly sweptAt: number;
  readonly reachedAt: number | null;
  /** The highest number, as recalled. */
  readonly shards: number;
  /** Whether no shard failed; one that did has a memory of its own. */
  readonly complete: boolean;
}

export interface Lease {
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
}
