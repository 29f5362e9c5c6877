/** Starts the steps that wait for an agent as its replies come in, for one of several instances of the Scheduler. */

import { errorKind } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import type { HeldStarter } from '#roles/scheduler.ts';
import { type NextOrder, type NextOrders, nextHeld } from './next-held.ts';
import type { SharedGates } from './shared-gates.ts';

/** The ports of {@link heldStarter}. */
export interface HeldStarterPorts {
  readonly gates: SharedGates;
  readonly heldSteps: HeldSteps;
  /** The pools of agents by name, with their members. Default: there is none. */
  readonly pools?: ReadonlyMap<string, readonly string[]>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** See {@link nextHeld}. */
  readonly weightOf?: (flow: string) => number;
}

/** Makes the starter of one instance. */
export function heldStarter({
  gates,
  heldSteps,
  pools = new Map(),
  clock,
  random,
  log,
  weightOf,
}: HeldStarterPorts): HeldStarter {
  const next = nextHeld({
    ...{ index: heldSteps, clock },
    ...(weightOf !== undefined && { weightOf }),
    isClosed: gates.isClosed,
    placeIn: (orders) => Math.floor(random.next() * orders),
  });
  /** By agent: with one count for all, the replies of two members in turn would leave a source out. */
  const turns = new Map<string, number>();

  /** The agent and its pools, from the one whose turn it is. */
  function namesOf(agent: string): readonly string[] {
    const own = [...pools].flatMap(([pool, members]) => (members.includes(agent) ? [pool] : []));
    const all = [agent, ...own];
    const turn = (turns.get(agent) ?? 0) % all.length;
    return [...all.slice(turn), ...all.slice(0, turn)];
  }

  async function firstOf(names: readonly string[], count: number): Promise<NextOrders> {
    const orders: NextOrder[] = [];
    let areWaiting = false;
    for (const name of names) {
      if (orders.length === count) break;
      const own = await next.of(name, count - orders.length);
      orders.push(...own.orders);
      areWaiting ||= own.areWaiting;
    }
    return { orders, areWaiting };
  }

  async function chosenOf(agent: string, count: number): Promise<readonly OrderId[]> {
    const { orders, areWaiting } = await firstOf(namesOf(agent), count);
    if (!areWaiting) gates.nothingWaits(agent);
    const orderIds = orders.map(({ orderId }) => orderId);
    gates.chosen(agent, orderIds);
    return orderIds;
  }

  return {
    observe: gates.observe,
    applied: gates.applied,
    settled: gates.settled,
    async next(agent, replies, records) {
      try {
        const count = await gates.startable(agent, replies, records);
        if (count === 0) return [];
        turns.set(agent, ((turns.get(agent) ?? 0) + 1) % namesOf(agent).length);
        return await chosenOf(agent, count);
      } catch (error) {
        log.warn('held-steps-unread', { agent, error: errorKind(error) });
        return [];
      }
    },
    async more(agent, tried) {
      const { overtaken, isLast } = tried;
      for (const name of namesOf(agent)) next.tried(name, tried);
      if (isLast || overtaken.length === 0) return [];
      try {
        return await chosenOf(agent, overtaken.length);
      } catch (error) {
        log.warn('held-steps-unread', { agent, error: errorKind(error) });
        return [];
      }
    },
  };
}
