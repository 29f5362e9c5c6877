/**
 * The deadlines of the calls of one agent that have not ended. They share one timer: nearly all calls end long before their
 * deadline, and a timer for each would cost as much as all else that a deadline does.
 */
import type { Clock } from '#ports/clock.ts';

/** A deadline as its timer sees it. */
export interface Expiring {
  /** ms since the epoch. */
  readonly completeBy: number;
  /** Complete-by has passed. */
  expire(): void;
  /** Passes now, because its process ends. */
  stop(): void;
}

/** See {@link openDeadlines}. */
export interface OpenDeadlines {
  /** Calls `expire` of the deadline a millisecond after its complete-by, unless it is removed before. */
  add(deadline: Expiring): void;
  /** Call it after complete-by of the deadline was moved; it does nothing for one that is not open. */
  moved(deadline: Expiring): void;
  remove(deadline: Expiring): void;
  /** Stops all of them. */
  stop(): void;
}

/** None is open at first. */
export function openDeadlines(clock: Clock): OpenDeadlines {
  const open = new Set<Expiring>();
  /** For when the timer is set, ms since the epoch. */
  let firesAt = Number.POSITIVE_INFINITY;
  let cancel = nothing;

  function fireAt(at: number, nowMs?: number): void {
    if (at >= firesAt) return;
    cancel();
    firesAt = at;
    cancel = clock.after(at - (nowMs ?? clock.now()), fire);
  }

  function fire(): void {
    // A timer may fire early, and the clock may have been set back since.
    const nowMs = Math.max(clock.now(), firesAt);
    firesAt = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of [...open]) {
      if (deadline.completeBy < nowMs) deadline.expire();
      else next = Math.min(next, deadline.completeBy + 1);
    }
    if (next < Number.POSITIVE_INFINITY) fireAt(next, nowMs);
  }

  return {
    add(deadline) {
      open.add(deadline);
      fireAt(deadline.completeBy + 1);
    },
    moved(deadline) {
      // Code may send heartbeats after its call has ended. No one would cancel the timer, which keeps the process running.
      if (open.has(deadline)) fireAt(deadline.completeBy + 1);
    },
    remove(deadline) {
      open.delete(deadline);
      // A timer that is left would keep a process running whose work is done.
      if (open.size > 0) return;
      cancel();
      firesAt = Number.POSITIVE_INFINITY;
    },
    stop() {
      for (const deadline of [...open]) deadline.stop();
    },
  };
}

const nothing = () => {};
