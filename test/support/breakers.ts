/** Breakers for tests that are not about them. */
import type { ImmediateBreaker } from '#ports/breaker.ts';

/** Lets every call through, and calls `onCall` with how each ended. */
export function freeBreaker(
  onCall: (end: 'answered' | 'failed') => void = () => {},
): ImmediateBreaker {
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
