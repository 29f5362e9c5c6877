/** Starts the steps that wait for an agent as its replies come in, for one of several instances of the Scheduler. */
import { errorKind } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import type { HeldStarter } from '#roles/scheduler.ts';
import { nextHeld } from './next-held.ts';
import type { SharedGates } from './shared-gates.ts';

/** The ports of {@link heldStarter}. */
export interface HeldStarterPorts {
  readonly gates: SharedGates;
  readonly heldSteps: HeldSteps;
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
  return {
    observe: gates.observe,
    async next(agent, records) {
      try {
        const count = await gates.startable(agent, records);
        if (count === 0) return [];
        const orders = await next.of(agent, count);
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
