/** How many slots of a rate the calls of an instance used lately. */
import type { Clock } from '#ports/clock.ts';

/** See above. */
export interface RecentUse {
  add(count: number): void;
  /** How many calls come in so many ms, if they come as they did lately; 0 of a negative time. */
  expected(ms: number): number;
}

/** Use counts less and less, by a factor of e in this time, ms. */
const memoryMs = 1_000;

/** None at first. */
export function recentUse(clock: Pick<Clock, 'now'>): RecentUse {
  let used = 0;
  let usedAt = 0;
  const current = () => used * Math.exp(Math.min(0, usedAt - clock.now()) / memoryMs);
  return {
    add(count) {
      used = current() + count;
      usedAt = clock.now();
    },
    expected: (ms) => (current() * Math.max(0, ms)) / memoryMs,
  };
}
