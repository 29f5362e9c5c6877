/**
 * The ramp of the orders that a restart dispatches again: so many per second, so that the recovery does not overload the
 * services. An order is interrupted when its second comes, and not before: a start with 100,000 orders at work would write
 * all of them at once, only to let most of them wait.
 */
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';

/** See {@link restartRamp}. */
export interface RestartRamp {
  /** When the order with this place among those still to be interrupted is dispatched again, ms since the epoch. */
  turnOf(place: number): number;
  /** The orders that may still be interrupted in the present second of the ramp; 0 or less: none. */
  placesLeft(): number;
  /** Notes orders that were interrupted, also before their turn. */
  note(orders: number): void;
  /** The orders that were interrupted. */
  interrupted(): number;
  /** Resolves when the next second of the ramp begins; never after `stop`. */
  next(): Promise<void>;
  /** Resolves after so many ms; never after `stop`. */
  pause(ms: number): Promise<void>;
  stop(): void;
}

const second = 1_000;

/** Begins the ramp now. */
export function restartRamp(
  clock: Clock,
  perSecond: number = limits.recoveryRampPerSecond,
): RestartRamp {
  let interrupted = 0;
  let seconds = 0;
  let begunAt = clock.now();
  let stop = () => {};

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      stop = clock.after(ms, resolve);
    });

  return {
    turnOf(place) {
      const ahead = Math.floor((interrupted + place) / perSecond) - seconds;
      return clock.now() + Math.max(0, ahead) * second;
    },
    placesLeft: () => (seconds + 1) * perSecond - interrupted,
    note(orders) {
      interrupted += orders;
    },
    interrupted: () => interrupted,
    async next() {
      const beginsAt = begunAt + second;
      // No longer than a second: a clock that was set back does not delay the recovery.
      await pause(Math.max(0, Math.min(beginsAt - clock.now(), second)));
      // A second that begins late delays no later one. After the process was suspended or the clock was set, the ramp goes
      // on from now, so that no orders of many seconds are dispatched at once.
      const lateMs = Math.abs(clock.now() - beginsAt);
      begunAt = lateMs < second ? beginsAt : clock.now();
      seconds += 1;
    },
    pause,
    stop: () => stop(),
  };
}
