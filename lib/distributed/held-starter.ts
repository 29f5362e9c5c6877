/** Starts the steps that wait for an agent as its replies come in, for one of several instances of the Scheduler. */
import { errorKind } from '#core/model/errors.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { HeldStarter } from '#roles/scheduler.ts';
import { nextHeld } from './next-held.ts';
import type { SharedGates } from './shared-gates.ts';

/** The ports of {@link heldStarter}. */
export interface HeldStarterPorts {
  readonly gates: SharedGates;
  readonly heldSteps: HeldSteps;
  readonly log: Log;
}

/** Makes the starter of one instance. */
export function heldStarter({ gates, heldSteps, log }: HeldStarterPorts): HeldStarter {
  const next = nextHeld(heldSteps);
  return {
    observe: gates.observe,
    async next(agent, records) {
      try {
        const count = await gates.startable(agent, records);
        if (count === 0) return [];
        const orders = await next.of(agent, count);
        if (orders.length === 0) gates.nothingWaits(agent);
        return orders.map(({ orderId }) => orderId);
      } catch (error) {
        log.warn('held-steps-unread', { agent, error: errorKind(error) });
        return [];
      }
    },
  };
}
