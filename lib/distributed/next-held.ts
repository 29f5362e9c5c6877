/**
 * Which of the steps that wait for an agent are next: shared by weight between the classes, in turn between the tenants of a
 * class (R24), and in turn between the queues of a tenant. An index lists them by tenant and queue, so it is read one after the
 * other, from where the last read ended: one with many orders hides no other.
 */
import { classWeights } from '#core/flow/fair-queue.ts';
import { type FairTurns, fairTurns } from '#core/flow/fair-turns.ts';
import type { OrderId } from '#core/model/ids.ts';
import { recentMap } from '#core/model/recent-map.ts';
import { type Priority, priorities } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldOrder, HeldPlace, HeldSteps } from '#ports/held-steps.ts';
import type { Tried } from '#roles/scheduler.ts';
import { isOlder } from './read-age.ts';

/** An order that is next. */
export interface NextOrder {
  readonly orderId: OrderId;
  readonly priority: Priority;
}

/** Those that are next. */
export interface NextOrders {
  readonly orders: readonly NextOrder[];
  /** Some wait, also if the queues of all of them are closed, or all were taken a moment ago and may not have started. */
  readonly areWaiting: boolean;
}

/** See {@link nextHeld}. */
export interface NextHeld {
  /** At most `count` orders that wait for the agent. @throws {UnavailableError} when the index cannot be read */
  of(agent: string, count: number): Promise<NextOrders>;
  /** What became of the orders that were next. */
  tried(agent: string, tried: Tried): void;
}

/** Reads of one class at most, for one answer. */
const readsMax = 8;

/** The orders of one queue that a read of the index has shown. */
interface Queued {
  /** Those that may be next, the longest-waiting first. */
  readonly orders: OrderId[];
  /** Together with those that were taken before. */
  seen: number;
}

/** The orders of one class that a read of the index has shown, by flow and queue. */
interface Shown {
  readonly flows: Map<string, Map<string | null, Queued>>;
  readonly orderIds: Set<OrderId>;
  /** Some wait whose queues are closed. */
  hasClosed: boolean;
}

/**
 * Orders of one page, at least: as many as cost no more than one. Of a queue, one of a page of those that have waited for longest is
 * next, by chance: if each instance took the first, all of them would take the same, because the index shows it for a moment after
 * it started. Where that happens often although the queue has more than a page, pages become larger.
 */
const pages = { least: 20, most: 600, often: 0.2, seldom: 0.05, growth: 2, decline: 0.9 };
/** For so long the index may still show an order that was taken, ms. */
const takenForMs = 1_000;

/** Options of {@link nextHeld}. */
export interface NextHeldOptions {
  readonly index: HeldSteps;
  readonly clock: Pick<Clock, 'now'>;
  /** Which of so many orders of one tenant is taken, from 0, the longest-waiting first. Default: the first. */
  readonly placeIn?: (orders: number) => number;
  /** The weight of a tenant, by its text in the index. Default: each has 1. */
  readonly weightOf?: (flow: string) => number;
  /** Whether no step of the queue can start now. Default: each can. */
  readonly isClosed?: (queue: string) => boolean;
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
      let areWaiting = false;
      await Promise.all(
        priorities.map(async (priority) => {
          const limit = Math.max(turns.page.current(), count);
          const read = (after: HeldPlace | null) => index.waiting(agent, priority, limit, after);
          const own = await turns.show(priority, limit, read);
          if (own.flows.size > 0) shown.set(priority, own);
          areWaiting ||= own.hasClosed || own.orderIds.size > 0;
        }),
      );
      const next: NextOrder[] = [];
      while (next.length < count) {
        const order = turns.take(shown);
        if (order === undefined) break;
        next.push(order);
      }
      return { orders: next, areWaiting };
    },
    tried(agent, tried) {
      const turns = agents.get(agent);
      turns?.page.tried(tried);
      turns?.forget(tried.stillHeld);
    },
  };
}

/** What the classes, the tenants and the queues that wait for one agent have received. */
function turnsOfAgent(options: NextHeldOptions) {
  const { clock, placeIn = () => 0, weightOf = () => 1, isClosed = () => false } = options;
  const classes = fairTurns<Priority>((priority) => classWeights[priority]);
  const tenants = turnsByName<Priority, string>(weightOf);
  const queues = turnsByName<string, string | null>(() => 1);
  /** The last place that was shown, by class. */
  const last = new Map<Priority, HeldPlace>();
  /** When an order was taken, the earliest first. */
  const taken = new Map<OrderId, number>();
  const page = pageSize();

  function forgetTaken(): void {
    for (const [orderId, at] of taken) {
      if (!isOlder(at, takenForMs, clock.now())) return;
      taken.delete(orderId);
    }
  }

  function add(to: Shown, { orderId, flow, queue }: HeldOrder): void {
    if (to.orderIds.has(orderId)) return;
    if (queue !== null && isClosed(queue)) {
      to.hasClosed = true;
      return;
    }
    to.orderIds.add(orderId);
    const queued = queuedIn(to.flows, flow, queue);
    queued.seen += 1;
    if (!taken.has(orderId)) queued.orders.push(orderId);
  }

  return {
    page,
    /** They wait as before. */
    forget(orderIds: readonly OrderId[]): void {
      for (const orderId of orderIds) taken.delete(orderId);
    },
    /** @param read a page of the places of a class, after that place */
    async show(
      priority: Priority,
      limit: number,
      read: (after: HeldPlace | null) => Promise<readonly HeldOrder[]>,
    ): Promise<Shown> {
      forgetTaken();
      const shown: Shown = { flows: new Map(), orderIds: new Set(), hasClosed: false };
      for await (const page of pagesAround(last.get(priority) ?? null, limit, read)) {
        for (const order of page) add(shown, order);
        const end = page.at(-1);
        if (end !== undefined) last.set(priority, end);
      }
      leaveOutTaken(shown.flows);
      return shown;
    },
    /** Takes the order whose turn it is. */
    take(shown: Map<Priority, Shown>): NextOrder | undefined {
      const priority = classes.next(shown.keys());
      const flows = priority && shown.get(priority)?.flows;
      if (priority === undefined || flows === undefined) return undefined;
      const flow = tenants.of(priority).next(flows.keys());
      const own = flow === undefined ? undefined : flows.get(flow);
      if (flow === undefined || own === undefined) return undefined;
      const orderId = takeFrom(own, own.size === 1 ? undefined : queues.of(`${priority} ${flow}`));
      if (own.size === 0) flows.delete(flow);
      if (flows.size === 0) shown.delete(priority);
      if (orderId !== undefined) taken.set(orderId, clock.now());
      return orderId === undefined ? undefined : { orderId, priority };
    },
  };

  /** @param turns between the queues; undefined: there is one */
  function takeFrom(
    own: Map<string | null, Queued>,
    turns: FairTurns<string | null> | undefined,
  ): OrderId | undefined {
    const [only = null] = own.keys();
    const queue = turns?.next(own.keys()) ?? only;
    const { orders, seen } = own.get(queue) ?? { orders: [], seen: 0 };
    const [orderId] = orders.splice(placeIn(Math.min(orders.length, page.current())), 1);
    if (orderId !== undefined && seen >= page.current()) page.tookFromPart(orderId);
    if (orders.length === 0) own.delete(queue);
    return orderId;
  }
}

function queuedIn(flows: Shown['flows'], flow: string, queue: string | null): Queued {
  const own = flows.get(flow) ?? new Map<string | null, Queued>();
  const queued = own.get(queue) ?? { orders: [], seen: 0 };
  flows.set(flow, own);
  own.set(queue, queued);
  return queued;
}

/** Queues of which every order was taken have none that is next. */
function leaveOutTaken(flows: Shown['flows']): void {
  for (const [flow, queues] of flows) {
    for (const [queue, { orders }] of queues) if (orders.length === 0) queues.delete(queue);
    if (queues.size === 0) flows.delete(flow);
  }
}

/** How many orders a page has, of which one is next. */
function pageSize() {
  let size = pages.least;
  /** The orders that were taken from queues that have more than a page of them; sweeps do not say what became of theirs. */
  const fromPart = recentMap<true>(pages.most);
  return {
    current: () => Math.ceil(size),
    tookFromPart: (orderId: OrderId) => fromPart.set(orderId, true),
    /** Where the queues have no others, each instance finds the same orders, however many it reads. */
    tried({ asked, overtaken }: Tried): void {
      const own = asked.filter((orderId) => fromPart.get(orderId)).length;
      const lost = overtaken.filter((orderId) => fromPart.get(orderId)).length;
      for (const orderId of asked) fromPart.delete(orderId);
      const part = own === 0 ? 0 : lost / own;
      if (part > pages.often) size = Math.min(pages.most, size * pages.growth);
      else if (part < pages.seldom) size = Math.max(pages.least, size * pages.decline);
    },
  };
}

/** The pages of a class, from that place, and around the end of the index. */
async function* pagesAround(
  from: HeldPlace | null,
  limit: number,
  read: (after: HeldPlace | null) => Promise<readonly HeldOrder[]>,
): AsyncGenerator<readonly HeldOrder[]> {
  let after = from;
  let isAround = from === null;
  for (let reads = 0; reads < readsMax; reads += 1) {
    const page = await read(after);
    yield page;
    const end = page.at(-1) ?? null;
    const isAtEnd = page.length < limit;
    if (isAround && (isAtEnd || end === null || (from !== null && !isBefore(end, from)))) return;
    isAround ||= isAtEnd;
    after = isAtEnd ? null : end;
  }
}

/** Places sort by flow, then by queue: those without one first. */
const isBefore = (a: HeldPlace, b: HeldPlace) =>
  a.flow === b.flow ? (a.queue ?? '') < (b.queue ?? '') : a.flow < b.flow;

/** Names whose turns are remembered: those of tenants with several queues at a time. */
const namesMax = 1_000;

function turnsByName<Name extends string, Offered>(weightOf: (offered: Offered) => number) {
  const all = recentMap<FairTurns<Offered>>(namesMax);
  return {
    of(name: Name): FairTurns<Offered> {
      const own = all.get(name) ?? fairTurns(weightOf);
      all.set(name, own);
      return own;
    },
  };
}
