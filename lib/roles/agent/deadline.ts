/** The deadline of a call, which heartbeats may move. */
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Expiring, OpenDeadlines } from './open-deadlines.ts';

/** The deadline of one call; end it with `end`. */
export interface Deadline extends Pick<Expiring, 'completeBy' | 'stop'> {
  /** Aborted once complete-by has passed, also when first read after that. */
  readonly signal: AbortSignal;
  /** Settles as the work does, which may ignore the signal; rejects when complete-by passes before. For one work at a time. */
  bound<Result>(work: Promise<Result>): Promise<Result>;
  /** As `bound`, but rejects this time, ms, before complete-by, and aborts the signal then. */
  boundBefore<Result>(ms: number, work: Promise<Result>): Promise<Result>;
  /** Also true once it has ended: what the code of the agent reports then is of no attempt. */
  isPast(): boolean;
  moveTo(completeBy: number): void;
  /** Waits for this time, ms, or until the deadline. */
  pause(ms: number): Promise<void>;
  /** Cancels the timers: nothing is rejected any more. */
  end(): void;
}

/**
 * @param first complete-by until the first `moveTo`, ms since the epoch
 * @param open the deadlines of calls that have not ended; this one is among them until `end`
 */
export function deadline(clock: Clock, first: number, open: OpenDeadlines): Deadline {
  const own = new CallDeadline(clock, first, open);
  open.add(own);
  return own;
}

const nothing = () => {};
const late = () => new TransientFault('complete-by-passed', 'There was no answer by complete-by.');
const unanswered = () => new TransientFault('probe-unanswered', 'There was no answer in time.');

/** A class, because each call of an agent has one: closures take several times the memory. */
class CallDeadline implements Deadline, Expiring {
  readonly #clock: Clock;
  readonly #open: OpenDeadlines;
  #completeBy: number;
  /** Why it has passed. */
  #fault: TransientFault | undefined;
  #isAborted = false;
  #hasEnded = false;
  /** Rejects the work that is bound. */
  #giveUp: (fault: TransientFault) => void = nothing;
  /** Of the bound work, ms before complete-by; undefined: complete-by itself. */
  #earlyMs: number | undefined;
  #cancelEarly = nothing;
  /** What ends each pause. */
  #pauses: Set<() => void> | undefined;
  // Made on first use: it is most of the cost of a call that does not use it.
  #controller: AbortController | undefined;

  constructor(clock: Clock, first: number, open: OpenDeadlines) {
    this.#clock = clock;
    this.#open = open;
    this.#completeBy = first;
  }

  get completeBy() {
    return this.#completeBy;
  }

  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  bound<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      // Code without types may return what is no promise.
      Promise.resolve(work).then(resolve, reject);
      if (this.#fault !== undefined) reject(this.#fault);
    });
  }

  boundBefore<Result>(ms: number, work: Promise<Result>): Promise<Result> {
    this.#earlyMs = ms;
    this.#scheduleEarly(ms);
    return this.bound(work);
  }

  // Once past, it stays past: else a clock set back, or a timer that fires early, would make the runner retry although the
  // signal is aborted.
  isPast() {
    return this.#hasEnded || this.#fault !== undefined || this.#clock.now() > this.#completeBy;
  }

  moveTo(later: number) {
    this.#completeBy = later;
    this.#open.moved(this);
    if (this.#earlyMs !== undefined) this.#scheduleEarly(this.#earlyMs);
  }

  pause(ms: number): Promise<void> {
    if (this.#fault !== undefined) return Promise.resolve();
    this.#pauses ??= new Set();
    const pauses = this.#pauses;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        pauses.delete(end);
        resolve();
      };
      const cancel = this.#clock.after(ms, end);
      pauses.add(end);
    });
  }

  stop() {
    this.end();
    this.#pass(new TransientFault('process-ended', 'The process of the agent ends.'));
  }

  end() {
    this.#cancelEarly();
    // A later move sets no timer.
    this.#earlyMs = undefined;
    this.#open.remove(this);
    this.#hasEnded = true;
  }

  expire() {
    this.#pass(late());
  }

  #pass(fault: TransientFault) {
    this.#fault = fault;
    this.#abort();
    for (const end of this.#pauses ?? []) end();
    this.#giveUp(fault);
  }

  #scheduleEarly(ms: number) {
    this.#cancelEarly();
    this.#cancelEarly = this.#clock.after(this.#completeBy - ms - this.#clock.now() + 1, () => {
      this.#abort();
      this.#giveUp(unanswered());
    });
  }

  #abort() {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
