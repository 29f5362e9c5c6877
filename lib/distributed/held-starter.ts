/** Starts the steps that wait for an agent as its replies come in, for one of several instances of the Scheduler. */
import { errorKind } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import type { HeldStarter } from '#roles/scheduler.ts';
import { type NextOrder, nextHeld } from './next-held.ts';
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

/**
 * One of so many orders of a tenant starts next, those that have waited for longest: if each instance took the first, all of
 * them would take the same, because the index shows it for a moment after it started.
 */
const amongMax = 8;

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
    placeIn: (shown) => Math.floor(random.next() * Math.min(shown, amongMax)),
  });
  /** By agent: with one count for all, the replies of two members in turn would leave a source out. */
  const turns = new Map<string, number>();

  /** The agent and its pools, each first in turn. */
  function namesOf(agent: string): readonly string[] {
    const own = [...pools].flatMap(([pool, members]) => (members.includes(agent) ? [pool] : []));
    const all = [agent, ...own];
    const turn = ((turns.get(agent) ?? 0) + 1) % all.length;
    turns.set(agent, turn);
    return [...all.slice(turn), ...all.slice(0, turn)];
  }

  async function firstOf(names: readonly string[], count: number): Promise<readonly NextOrder[]> {
    const orders: NextOrder[] = [];
    for (const name of names) {
      if (orders.length < count) orders.push(...(await next.of(name, count - orders.length)));
    }
    return orders;
  }

  return {
    observe: gates.observe,
    async next(agent, records) {
      try {
        const count = await gates.startable(agent, records);
        if (count === 0) return [];
        const orders = await firstOf(namesOf(agent), count);
        if (orders.length === 0) gates.nothingWaits(agent);
        const orderIds = orders.map(({ orderId }) => orderId);
        gates.chosen(agent, orderIds);
        return orderIds;
      } catch (error) {
        log.warn('held-steps-unread', { agent, error: errorKind(error) });
        return [];
      }
    },
  };
}
