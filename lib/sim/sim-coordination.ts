/** What Supervisors remember between sweeps: the table, and how one machine reaches it. */
import { clockToleranceMs } from '#core/due.ts';
import type { Coordination, Lease, SweepMemory, Unfinished } from '#ports/coordination.ts';
import type { Machine } from './machine.ts';

interface Held extends Unfinished {
  readonly holder: string | null;
  readonly heldUntil: number;
}

/** As {@link Coordination}, and at once. */
export interface CoordinationTable {
  recall(shards: number): SweepMemory;
  remember(sweptAt: number, shards: number): void;
  take(shard: number, lease: Lease): boolean;
  giveBack(shard: number, holder: string, finished: boolean): void;
}

export function coordinationTable(): CoordinationTable {
  const taken = new Map<number, Held>();
  let swept: { readonly at: number; readonly shards: number } | null = null;
  return {
    recall(shards) {
      const all = Math.max(shards, swept?.shards ?? 0);
      const unfinished = new Map<number, Unfinished>();
      for (const [shard, { previousSweepAt }] of taken) {
        if (shard < all) unfinished.set(shard, { previousSweepAt });
      }
      return { sweptAt: swept?.at ?? null, shards: all, unfinished };
    },
    remember(at, shards) {
      swept = { at, shards };
    },
    take(shard, { holder, now, leaseMs, previousSweepAt }) {
      const held = taken.get(shard);
      const until = held === undefined || held.holder === null ? null : held.heldUntil;
      const isHeld = until !== null && until >= now && until <= now + leaseMs + clockToleranceMs;
      if (isHeld && held?.holder !== holder) return false;
      taken.set(shard, { holder, heldUntil: now + leaseMs, previousSweepAt });
      return true;
    },
    giveBack(shard, holder, finished) {
      const held = taken.get(shard);
      if (held?.holder !== holder) return;
      if (finished) taken.delete(shard);
      else taken.set(shard, { ...held, holder: null });
    },
  };
}

export function simCoordination(table: CoordinationTable, machine: Machine): Coordination {
  const call = <Value>(what: string, act: () => Value) =>
    machine.call({ what, act, refusal: 'coordination-throttled' });
  return {
    recall: (shards) => call('recall', () => table.recall(shards)),
    remember: (sweptAt, shards) => call('remember', () => table.remember(sweptAt, shards)),
    take: (shard, lease) => call(`take ${shard}`, () => table.take(shard, lease)),
    giveBack: (shard, holder, finished) =>
      call(`give back ${shard}`, () => table.giveBack(shard, holder, finished)),
  };
}
