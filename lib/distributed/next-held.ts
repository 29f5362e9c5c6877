/**
 * Which of the steps that wait for an agent are next: shared by weight between the classes, and in turn between the
 * tenants of a class (R24). An index lists them by tenant, so it is read tenant by tenant, from where the last read ended:
 * a tenant with many orders hides no other.
 */
import { classWeights } from '#core/flow/fair-queue.ts';
import { type FairTurns, fairTurns } from '#core/flow/fair-turns.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type Priority, priorities } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
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

/** Orders of one page: as many as cost no more than one. */
const pageMin = 20;
/** For so long the index may still show an order that was taken, ms. */
const takenForMs = 1_000;

/** Options of {@link nextHeld}. */
export interface NextHeldOptions {
  readonly index: HeldSteps;
  readonly clock: Pick<Clock, 'now'>;
  /** Which of so many orders of one tenant is taken, from 0, the longest-waiting first. Default: the first. */
  readonly placeIn?: (shown: number) => number;
  /** The weight of a tenant, by its text in the index. Default: each has 1. */
  readonly weightOf?: (flow: string) => number;
}

/** Makes a reader of the index, which remembers whom it has served. */
export function nextHeld(options: NextHeldOptions): NextHeld {
  const { index } = options;
  const agents = new Map<string, ReturnType<typeof turnsOfAgent>>();
  return {
    async of(agent, count) {
      const turns = agents.get(agent) ?? turnsOfAgent(options);
      agents.set(agent, turns);
      const shown = new Map<Priority, Shown>();
      await Promise.all(
        priorities.map(async (priority) => {
          const limit = Math.max(pageMin, count);
          const read = (after: string | null) => index.waiting(agent, priority, limit, after);
          const flows = await turns.show(priority, limit, read);
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
function turnsOfAgent({ clock, placeIn = () => 0, weightOf = () => 1 }: NextHeldOptions) {
  const classes = fairTurns<Priority>((priority) => classWeights[priority]);
  const tenants = new Map<Priority, FairTurns<string>>();
  /** The last flow that was shown, by class. */
  const last = new Map<Priority, string>();
  /** When an order was taken, the earliest first. */
  const taken = new Map<OrderId, number>();

  function tenantsOf(priority: Priority): FairTurns<string> {
    const own = tenants.get(priority) ?? fairTurns<string>(weightOf);
    tenants.set(priority, own);
    return own;
  }

  function forgetTaken(): void {
    for (const [orderId, at] of taken) {
      if (clock.now() - at < takenForMs) return;
      taken.delete(orderId);
    }
  }

  return {
    /** Reads the flows of a class, from where the last read ended, and around the end of the index. */
    async show(
      priority: Priority,
      limit: number,
      read: (after: string | null) => Promise<readonly HeldOrder[]>,
    ): Promise<Map<string, OrderId[]>> {
      forgetTaken();
      const flows = new Map<string, OrderId[]>();
      const from = last.get(priority) ?? null;
      let after = from;
      let isAround = from === null;
      for (let reads = 0; reads < readsMax; reads += 1) {
        const page = await read(after);
        for (const { orderId, flow } of page) {
          const own = flows.get(flow) ?? [];
          if (taken.has(orderId) || own.includes(orderId)) continue;
          flows.set(flow, [...own, orderId]);
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
      const [orderId] = orders.splice(placeIn(orders.length), 1);
      if (orders.length === 0) flows.delete(flow);
      if (flows.size === 0) shown.delete(priority);
      if (orderId !== undefined) taken.set(orderId, clock.now());
      return orderId === undefined ? undefined : { orderId, priority };
    },
  };
}
