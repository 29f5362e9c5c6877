/** Ticks of the Supervisor over a real store, which take leases from a memory of their own. */
import type { ShardMemory } from '#core/decide/sweep-gaps.ts';
import { orderId } from '#core/model/ids.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { supervisor } from '#roles/supervisor.ts';
import { type SweepTickPorts, sweepTick } from '#roles/sweep-tick.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;

/** Sweeps over a real store, and what they did. */
export interface Swept extends RoleScenario {
  readonly coordination: Coordination;
  readonly handedOver: number[];
  /** Who took which shard, refused or not. */
  readonly takes: string[];
  /** A sweep of its own, by its holder's name. */
  sweep(holder: string, over?: Partial<SweepTickPorts>): ReturnType<typeof sweepTick>;
  createDue(count: number): Promise<void>;
  failures(): Promise<Set<number>>;
  unfinished(): Promise<[number, ShardMemory][]>;
}

/** @param faulty the store as the transitions of the sweeps see it */
export function scenario(
  memory: Coordination = memoryCoordination(),
  faulty?: (store: StateStore) => StateStore,
): Swept {
  const world = roleScenario(faulty);
  const handedOver: number[] = [];
  const takes: string[] = [];
  const coordination: Coordination = {
    ...memory,
    acquire(shard, lease, first) {
      takes.push(`${lease.holder} ${shard}`);
      return memory.acquire(shard, lease, first);
    },
  };
  let ids: string[] = [];
  return {
    ...world,
    coordination,
    handedOver,
    takes,
    sweep(holder, over = {}) {
      const { clock, log } = world;
      const store = { ...world.store, ...over.store };
      const transitions = world.another();
      return sweepTick({
        supervisor: supervisor({ store, transitions, clock, log, outageAfterMs: 180 * second }),
        store,
        coordination,
        clock,
        holder,
        leaseMs: 60 * second,
        lookAhead: async () => {},
        handOver: async (shard) => {
          handedOver.push(shard);
        },
        ...over,
      });
    },
    /** Both walls of each are Running, and past complete-by. */
    async createDue(count) {
      ids = Array.from({ length: count }, (_, at) => `order-${at}`);
      await Promise.all(ids.map((id) => world.createClaimed(id)));
      world.clock.jump(12 * second);
    },
    async failures() {
      const records = await world.store.records(ids.map((id) => orderId(id)));
      return new Set([...records.values()].map(({ failureCount }) => failureCount));
    },
    async unfinished() {
      const recalled = await coordination.recall(world.store.dueShards);
      return [...recalled.unfinished];
    },
  };
}
