/**
 * After a sweep, nudges a few of the orders that wait for each agent, one after the other until the next sweep. While a
 * circuit is open, they are its probes; otherwise they start again what replies release, if replies were lost.
 */
import { errorKind } from '#core/model/errors.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import { nextHeld } from './next-held.ts';

/** The ports of {@link heldSweep}. */
export interface HeldSweepPorts {
  /** The agents and the pools of agents. */
  readonly agents: readonly string[];
  readonly heldSteps: HeldSteps;
  readonly nudges: Channel<Nudge>;
  readonly clock: Clock;
  readonly log: Log;
  /** From one sweep to the next, ms. */
  readonly sweepPeriodMs: number;
}

/** Orders per agent and sweep: with a sweep each minute, a probe about every six seconds. */
const nudgesPerSweep = 10;

/**
 * Resolves with the agents that orders wait for. Never rejects: what is not nudged now is nudged after the next sweep.
 */
export function heldSweep(ports: HeldSweepPorts): () => Promise<readonly string[]> {
  const next = nextHeld({ index: ports.heldSteps, clock: ports.clock });
  return async () => {
    const waitingFor: string[] = [];
    await Promise.all(
      ports.agents.map(async (agent) => {
        try {
          const { orders } = await next.of(agent, nudgesPerSweep);
          if (orders.length === 0) return;
          waitingFor.push(agent);
          const nowMs = ports.clock.now();
          const everyMs = ports.sweepPeriodMs / nudgesPerSweep;
          await ports.nudges.send(
            orders.map((order, turn) => ({ ...order, at: Math.round(nowMs + turn * everyMs) })),
          );
        } catch (error) {
          ports.log.warn('held-steps-unread', { agent, error: errorKind(error) });
        }
      }),
    );
    return waitingFor;
  };
}
