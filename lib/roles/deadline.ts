/** A deadline that heartbeats may move: what an agent's work is raced against. */
import type { Clock } from '#ports/clock.ts';

export interface Deadline {
  readonly completeBy: number;
  readonly signal: AbortSignal;
  /** Resolves when complete-by has passed. */
  readonly passed: Promise<void>;
  isPast(): boolean;
  moveTo(completeBy: number): void;
  /** Waits so long, but not past the deadline. */
  pause(ms: number): Promise<void>;
  /** The work is over: nothing fires any more. */
  end(): void;
}

export function deadline(clock: Clock, first: number): Deadline {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  let completeBy = first;
  let cancel = schedule();
  // Made only when the implementation asks for it: most of the cost of a call that needs none.
  let controller: AbortController | undefined;

  function schedule() {
    return clock.after(completeBy - clock.now() + 1, () => {
      controller?.abort();
      resolve();
    });
  }

  return {
    passed,
    get completeBy() {
      return completeBy;
    },
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
    isPast: () => clock.now() > completeBy,
    moveTo(later) {
      cancel();
      completeBy = later;
      cancel = schedule();
    },
    async pause(ms) {
      const pause = Promise.withResolvers<void>();
      const stop = clock.after(ms, pause.resolve);
      await Promise.race([pause.promise, passed]);
      stop();
    },
    end: () => cancel(),
  };
}
