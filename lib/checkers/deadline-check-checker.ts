/** Checks the deadline checks that are sent and acknowledged. */
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Breach } from './violation.ts';

/** See {@link deadlineCheckChecker}. */
export type DeadlineCheckChecker = ReturnType<typeof deadlineCheckChecker>;

/** What the rules need to know of the world. */
export interface CheckedWorld {
  record(orderId: OrderId): ProcessRecord | undefined;
  /** Whether all clocks were right, and sweeps reached every shard, until now: else checks may be left to sweeps. */
  isOrderly(): boolean;
  /** Whether replies of the agent were lately noted to wait for long: then its late calls may be left to a later check. */
  wasNotedLately(agent: AgentName): boolean;
  /** Whether the order has been overdue for longer than without an outage: then its calls are left to sweeps. */
  isOverdueForLong(record: ProcessRecord): boolean;
}

const claimOf = (orderId: OrderId, at: number) => `${orderId} ${at}`;

export function deadlineCheckChecker(world: CheckedWorld, breach: Breach) {
  const claims = new Set<string>();
  return {
    /** The store applied a write. */
    wroteClaim({ orderId, history }: ProcessRecord) {
      const entry = history.at(-1);
      if (entry?.type === 'claim') claims.add(claimOf(orderId, entry.at));
    },
    /** R13: a check is of a claim that is durable. */
    checking(checks: readonly DeadlineCheck[]) {
      for (const { orderId, at, claimedAt } of checks) {
        if (claimedAt === null || claims.has(claimOf(orderId, claimedAt))) continue;
        breach('R13', `a check of ${orderId} at ${at}, of a claim that no durable record has`);
      }
    },
    /** R19: a check is acknowledged only when no call of its order was late. `revision`: on receipt, with a late call. */
    acknowledgedCheck({ orderId }: DeadlineCheck, revision: number | undefined) {
      const record = world.record(orderId);
      if (record === undefined || record.revision !== revision || !world.isOrderly()) return;
      if (record.steps.some(({ agent }) => world.wasNotedLately(agent))) return;
      if (world.isOverdueForLong(record)) return;
      breach('R19', `a check of ${orderId} was acknowledged, and a call of the order is late`);
    },
  };
}
