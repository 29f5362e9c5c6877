/** A simulated service that takes a fixed time per call, and that can be unavailable or hang. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';

/** `down`: it refuses each call at once. `hangs`: it answers after the deadline of the call. */
export type ServiceMode = 'healthy' | 'down' | 'hangs';

/** Options of {@link slowService}. */
export interface SlowServiceOptions {
  /** How long a call takes, ms. */
  readonly callMs: number;
  /** By how much it varies at most, in parts of it: calls that began together end together without. Default 0. */
  readonly variation?: number;
  /** How long one takes while the service hangs, ms. */
  readonly hangMs: number;
  /** Whether it refuses this parcel for good. Default: none. */
  readonly declines?: (parcel: number) => boolean;
  /** Called with the time that a call took. */
  readonly onCall?: (parcel: number, ms: number) => void;
}

/** See {@link slowService}. */
export interface SlowService {
  call(parcel: number): Promise<void>;
  set(mode: ServiceMode): void;
  /** When each call began, ms since the epoch. */
  readonly begun: readonly number[];
  concurrentMax(): number;
}

export function slowService(options: SlowServiceOptions): SlowService {
  const { callMs, hangMs, variation = 0, declines, onCall } = options;
  const timeOf = () => callMs * (1 + variation * (2 * systemRandom.next() - 1));
  let mode: ServiceMode = 'healthy';
  let calls = 0;
  let concurrentMax = 0;
  const begun: number[] = [];
  return {
    begun,
    set(next) {
      mode = next;
    },
    concurrentMax: () => concurrentMax,
    async call(parcel) {
      const from = performance.now();
      begun.push(systemClock.now());
      calls += 1;
      concurrentMax = Math.max(concurrentMax, calls);
      try {
        if (mode === 'down') throw new TransientFault('http-503', 'The service is down.');
        await sleep(mode === 'hangs' ? hangMs : timeOf());
        if (declines?.(parcel) === true) throw new PermanentFault('declined', 'Declined.', 'none');
      } finally {
        calls -= 1;
        onCall?.(parcel, performance.now() - from);
      }
    },
  };
}
