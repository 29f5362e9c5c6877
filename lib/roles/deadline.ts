/** A deadline that heartbeats may move: what an agent's work is raced against. */
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';

export interface Deadline {
  readonly completeBy: number;
  /** Aborted once complete-by has passed, even if it is asked for only then. */
  readonly signal: AbortSignal;
  /** Rejects when complete-by has passed; race work against it that may not heed its signal. */
  readonly late: Promise<never>;
  isPast(): boolean;
  moveTo(completeBy: number): void;
  /** Waits so long, but not past the deadline. */
  pause(ms: number): Promise<void>;
  /** The work is over: nothing fires any more. */
  end(): void;
}

export function deadline(clock: Clock, first: number): Deadline {
  const { promise: late, reject } = Promise.withResolvers<never>();
  late.catch(() => {});
  let completeBy = first;
  let fired = false;
  let cancel = schedule();
  // Made only when the implementation asks for it: most of the cost of a call that needs none.
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
    // What has fired stays past: a clock that is set back, or a timer that comes a little early, must
    // not make the runner try on and on against a deadline that lets nothing through.
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
