/**
 * Which of the steps that wait for an agent are next: shared by weight between the classes, and in turn between the
 * tenants of a class (R24). An index lists them by tenant, so it is read tenant by tenant, from where the last read ended:
 * a tenant with many orders hides no other.
 */
import { classWeights } from '#core/flow/fair-queue.ts';
import { type FairTurns, fairTurns } from '#core/flow/fair-turns.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type Priority, priorities } from '#core/model/record.ts';
import type { HeldOrder, HeldSteps } from '#ports/held-steps.ts';

/** An order that is next. */
export interface NextOrder {
  readonly orderId: OrderId;
  readonly priority: Priority;
}

/** See {@link nextHeld}. */
export interface NextHeld {
  /** At most `count` orders that wait for the agent. @throws {UnavailableError} when the index cannot be read */
  of(agent: string, count: number): Promise<readonly NextOrder[]>;
}

/** Reads of one class at most, for one answer. */
const readsMax = 8;

/** The orders of one class that a read of the index has shown, by flow. */
interface Shown {
  readonly flows: Map<string, OrderId[]>;
}

/** Makes a reader of the index, which remembers whom it has served. */
export function nextHeld(index: HeldSteps): NextHeld {
  const agents = new Map<string, ReturnType<typeof turnsOfAgent>>();
  return {
    async of(agent, count) {
      const turns = agents.get(agent) ?? turnsOfAgent();
      agents.set(agent, turns);
      const shown = new Map<Priority, Shown>();
      await Promise.all(
        priorities.map(async (priority) => {
          const read = (after: string | null) => index.waiting(agent, priority, count, after);
          const flows = await turns.show(priority, count, read);
          if (flows.size > 0) shown.set(priority, { flows });
        }),
      );
      const next: NextOrder[] = [];
      while (next.length < count) {
        const order = turns.take(shown);
        if (order === undefined) break;
        next.push(order);
      }
      return next;
    },
  };
}

/** What the classes and the tenants that wait for one agent have received. */
function turnsOfAgent() {
  const classes = fairTurns<Priority>((priority) => classWeights[priority]);
  const tenants = new Map<Priority, FairTurns<string>>();
  /** The last flow that was shown, by class. */
  const last = new Map<Priority, string>();

  function tenantsOf(priority: Priority): FairTurns<string> {
    const own = tenants.get(priority) ?? fairTurns<string>(() => 1);
    tenants.set(priority, own);
    return own;
  }

  return {
    /** Reads the flows of a class, from where the last read ended, and around the end of the index. */
    async show(
      priority: Priority,
      limit: number,
      read: (after: string | null) => Promise<readonly HeldOrder[]>,
    ): Promise<Map<string, OrderId[]>> {
      const flows = new Map<string, OrderId[]>();
      const from = last.get(priority) ?? null;
      let after = from;
      let isAround = from === null;
      for (let reads = 0; reads < readsMax; reads += 1) {
        const page = await read(after);
        for (const { orderId, flow } of page) {
          const own = flows.get(flow) ?? [];
          if (!own.includes(orderId)) flows.set(flow, [...own, orderId]);
        }
        const end = page.at(-1)?.flow ?? null;
        if (end !== null) last.set(priority, end);
        const isAtEnd = page.length < limit;
        if (isAround && (isAtEnd || end === null || (from !== null && end >= from))) break;
        isAround ||= isAtEnd;
        after = isAtEnd ? null : end;
      }
      return flows;
    },
    /** Takes the order whose turn it is. */
    take(shown: Map<Priority, Shown>): NextOrder | undefined {
      const priority = classes.next(shown.keys());
      const flows = priority && shown.get(priority)?.flows;
      if (priority === undefined || flows === undefined) return undefined;
      const flow = tenantsOf(priority).next(flows.keys());
      const orders = flow === undefined ? undefined : flows.get(flow);
      if (flow === undefined || orders === undefined) return undefined;
      const orderId = orders.shift();
      if (orders.length === 0) flows.delete(flow);
      if (flows.size === 0) shown.delete(priority);
      return orderId === undefined ? undefined : { orderId, priority };
    },
  };
}
