/** After an operator let an agent have calls again: some of the orders that wait for it start, and their replies start the others. */
import type { Nudge } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import { nextHeld } from './next-held.ts';

/** The ports of {@link nudgeWaiting}. */
export interface NudgeWaitingPorts {
  readonly heldSteps: HeldSteps;
  readonly nudges: Channel<Nudge>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Orders for each name. */
const nudgesEach = 10;
/** When every instance has read the change, ms; see known-settings.ts. */
const knownAfterMs = 1_500;

/** @throws {UnavailableError} when the orders cannot be read: the next sweep nudges them */
export function nudgeWaiting({ heldSteps, nudges, clock }: NudgeWaitingPorts) {
  return async (names: readonly string[]): Promise<void> => {
    const next = nextHeld({ index: heldSteps, clock });
    const waiting = await Promise.all(names.map((name) => next.of(name, nudgesEach)));
    const at = clock.now() + knownAfterMs;
    const messages = waiting.flatMap(({ orders }) => orders.map((order) => ({ ...order, at })));
    if (messages.length > 0) await nudges.send(messages);
  };
}
