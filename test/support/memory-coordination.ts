/** What Supervisors remember, in memory: the simulator's table without a network. */
import type { Coordination } from '#ports/coordination.ts';
import { coordinationTable } from '#sim/ports/sim-coordination.ts';

export function memoryCoordination(): Coordination {
  const table = coordinationTable();
  return {
    recall: async (shards) => table.recall(shards),
    remember: async (mark) => table.remember(mark),
    acquire: async (shard, lease, first) => table.acquire(shard, lease, first),
    keep: async (shard, holder, memory) => table.keep(shard, holder, memory),
    release: async (shard, holder, left) => table.release(shard, holder, left),
    finish: async (shard, holder, aliveAt) => table.finish(shard, holder, aliveAt),
  };
}
