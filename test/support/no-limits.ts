import { type SharedLimits, sharedLimits } from '#distributed/limits/shared-limits.ts';
import { queueClock } from '#distributed/queue-clock.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { testLog } from './log.ts';
import { memoryItems } from './memory-limit-items.ts';
import { virtualClock } from './virtual-clock.ts';

/** Limits of a deployment whose agents have none. */
export function noLimits(): SharedLimits {
  const clock = virtualClock();
  return sharedLimits({
    instance: 'one',
    ...{
      limits: new Map(),
      items: memoryItems(limitTable()),
      clock,
      queueClock: queueClock({ now: clock.now, uptime: clock.now }),
    },
    ...{ random: { next: () => 0 }, log: testLog() },
  });
}
