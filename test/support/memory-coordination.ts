/** What Supervisors remember, in the memory of a test: the simulator's table, and no network before it. */
import type { Coordination } from '#ports/coordination.ts';
import { coordinationTable } from '#sim/ports/sim-coordination.ts';

export function memoryCoordination(): Coordination {
  const table = coordinationTable();
  return {
    recall: async (shards) => table.recall(shards),
    remember: async (mark) => table.remember(mark),
    take: async (shard, lease, first) => table.take(shard, lease, first),
    keep: async (shard, holder, memory) => table.keep(shard, holder, memory),
    giveBack: async (shard, holder, left) => table.giveBack(shard, holder, left),
  };
}
