/** What Supervisors remember, in the memory of a test. */
import type { Coordination, Unfinished } from '#ports/coordination.ts';

interface Shard extends Unfinished {
  readonly holder: string | null;
  readonly heldUntil: number;
}

export function memoryCoordination(): Coordination {
  const taken = new Map<number, Shard>();
  let swept: { at: number; shards: number } | undefined;
  return {
    async recall(shards) {
      const all = Math.max(shards, swept?.shards ?? 0);
      const unfinished = new Map<number, Unfinished>();
      for (const [shard, { previousSweepAt }] of taken) {
        if (shard < all) unfinished.set(shard, { previousSweepAt });
      }
      return { sweptAt: swept?.at ?? null, shards: all, unfinished };
    },
    async remember(at, shards) {
      swept = { at, shards };
    },
    async take(shard, { holder, now, leaseMs, previousSweepAt }) {
      const held = taken.get(shard);
      const free = held === undefined || held.holder === null || held.heldUntil < now;
      if (!free && held.holder !== holder) return false;
      taken.set(shard, { holder, heldUntil: now + leaseMs, previousSweepAt });
      return true;
    },
    async giveBack(shard, holder, finished) {
      const held = taken.get(shard);
      if (held?.holder !== holder) return;
      if (finished) taken.delete(shard);
      else taken.set(shard, { ...held, holder: null });
    },
  };
}
