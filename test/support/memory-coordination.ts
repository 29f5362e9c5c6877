/** What Supervisors remember, in the memory of a test: the simulator's table, and no network before it. */
import type { Coordination } from '#ports/coordination.ts';
import { coordinationTable } from '#sim/sim-coordination.ts';

export function memoryCoordination(): Coordination {
  const table = coordinationTable();
  return {
    recall: async (shards) => table.recall(shards),
    remember: async (sweptAt, shards) => table.remember(sweptAt, shards),
    take: async (shard, lease) => table.take(shard, lease),
    giveBack: async (shard, holder, finished) => table.giveBack(shard, holder, finished),
  };
}
