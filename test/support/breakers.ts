/** Breakers for tests that are not about them. */
import type { Breaker } from '#ports/breaker.ts';

/** Lets every call through, and calls `onCall` with how each ended. */
export function freeBreaker(onCall: (end: 'answered' | 'failed') => void = () => {}): Breaker {
  return {
    begin: async () => null,
    admit: () => ({
      isProbe: false,
      answered: () => onCall('answered'),
      failed: () => onCall('failed'),
    }),
    end() {},
    state: () => 'closed',
  };
}
