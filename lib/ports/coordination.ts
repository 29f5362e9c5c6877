/**
 * What Supervisors remember between sweeps, and how they keep out of each other's way. Leases only
 * save work: any number of sweeps at once do what one does (R11).
 */

/** A shard whose last sweep did not come to its end. */
export interface Unfinished {
  /** The completed sweep before it: what was overdue since then may still need forgiveness (R20). */
  readonly previousSweepAt: number | null;
}

export interface SweepMemory {
  /** When the last sweep of all shards began; null before the first. */
  readonly sweptAt: number | null;
  /** The highest number of shards ever swept: orders of that time may still be in the index. */
  readonly shards: number;
  readonly unfinished: ReadonlyMap<number, Unfinished>;
}

/** Each method may throw {@link UnavailableError}. */
export interface Coordination {
  /** `shards`: how many there are now. */
  recall(shards: number): Promise<SweepMemory>;
  /** `shards`: the highest number, as recalled. */
  remember(sweptAt: number, shards: number): Promise<void>;
  /**
   * Takes the shard until `now + leaseMs` and marks it unfinished; false while another holder has it.
   * A lease that ends later than any right clock would have it end holds nobody back: who took it may
   * be dead, and its clock was days ahead.
   */
  take(shard: number, lease: Lease): Promise<boolean>;
  /** Gives it back, finished or not; does nothing when the lease has passed to another. */
  giveBack(shard: number, holder: string, finished: boolean): Promise<void>;
}

export interface Lease extends Unfinished {
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
}
