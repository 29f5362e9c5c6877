/** The deadline of a call, which heartbeats may move. */
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';

/** The deadline of one call; end it with `end`. */
export interface Deadline {
  /** ms since the epoch. */
  readonly completeBy: number;
  /** Aborted once complete-by has passed, also when first read after that. */
  readonly signal: AbortSignal;
  /** Rejects when complete-by has passed: race it against work that may ignore its signal. */
  readonly late: Promise<never>;
  isPast(): boolean;
  moveTo(completeBy: number): void;
  /** Waits for this time, ms, or until the deadline. */
  pause(ms: number): Promise<void>;
  /** Cancels the timer: `late` no longer rejects. */
  end(): void;
}

/** @param first complete-by until the first `moveTo`, ms since the epoch */
export function deadline(clock: Clock, first: number): Deadline {
  const { promise: late, reject } = Promise.withResolvers<never>();
  late.catch(() => {});
  let completeBy = first;
  let fired = false;
  let cancel = schedule();
  // Made on first use: it is most of the cost of a call that does not use it.
  let controller: AbortController | undefined;

  function schedule() {
    return clock.after(completeBy - clock.now() + 1, () => {
      fired = true;
      controller?.abort();
      reject(new TransientFault('complete-by-passed', 'There was no answer by complete-by.'));
    });
  }

  return {
    late,
    get completeBy() {
      return completeBy;
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (fired) controller.abort();
      }
      return controller.signal;
    },
    // Once fired, it stays past: else a clock set back, or a timer that fires early, would make the runner
    // retry against `late`, which has already rejected.
    isPast: () => fired || clock.now() > completeBy,
    moveTo(later) {
      cancel();
      completeBy = later;
      cancel = schedule();
    },
    async pause(ms) {
      let stop: (() => void) | undefined;
      await Promise.race([
        new Promise<void>((resolve) => {
          stop = clock.after(ms, resolve);
        }),
        late.catch(() => {}),
      ]);
      stop?.();
    },
    end: () => cancel(),
  };
}
