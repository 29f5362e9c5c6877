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
  /** Rejects this time, ms, before complete-by, and aborts the signal then. Call it once. */
  before(ms: number): Promise<never>;
  isPast(): boolean;
  moveTo(completeBy: number): void;
  /** Waits for this time, ms, or until the deadline. */
  pause(ms: number): Promise<void>;
  /** Passes now, because its process ends. */
  stop(): void;
  /** Cancels the timer: `late` no longer rejects. */
  end(): void;
}

/**
 * @param first complete-by until the first `moveTo`, ms since the epoch
 * @param open the deadlines of calls that have not ended; this one is among them until `end`
 */
export function deadline(clock: Clock, first: number, open: Set<Deadline>): Deadline {
  const { promise: late, reject } = Promise.withResolvers<never>();
  late.catch(() => {});
  let completeBy = first;
  let fired = false;
  let isAborted = false;
  let cancel = schedule();
  let moveEarly = () => {};
  let cancelEarly = () => {};
  let giveUpEarly = (_: TransientFault) => {};
  // Made on first use: it is most of the cost of a call that does not use it.
  let controller: AbortController | undefined;

  function schedule() {
    return clock.after(completeBy - clock.now() + 1, () =>
      pass('complete-by-passed', 'There was no answer by complete-by.'),
    );
  }

  function pass(code: string, message: string): void {
    fired = true;
    abort();
    const fault = new TransientFault(code, message);
    reject(fault);
    giveUpEarly(fault);
  }

  function abort(): void {
    isAborted = true;
    controller?.abort();
  }

  const own: Deadline = {
    late,
    before(ms) {
      const { promise, reject: giveUp } = Promise.withResolvers<never>();
      promise.catch(() => {});
      giveUpEarly = giveUp;
      moveEarly = () => {
        cancelEarly();
        cancelEarly = clock.after(completeBy - ms - clock.now() + 1, () => {
          abort();
          giveUp(new TransientFault('probe-unanswered', 'There was no answer in time.'));
        });
      };
      moveEarly();
      return promise;
    },
    get completeBy() {
      return completeBy;
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (isAborted) controller.abort();
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
      moveEarly();
    },
    pause: (ms) => pause(clock, ms, late),
    stop() {
      own.end();
      pass('process-ended', 'The process of the agent ends.');
    },
    end() {
      cancel();
      cancelEarly();
      open.delete(own);
    },
  };
  open.add(own);
  return own;
}

async function pause(clock: Clock, ms: number, late: Promise<never>): Promise<void> {
  let stop: (() => void) | undefined;
  await Promise.race([
    new Promise<void>((resolve) => {
      stop = clock.after(ms, resolve);
    }),
    late.catch(() => {}),
  ]);
  stop?.();
}
