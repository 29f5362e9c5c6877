/**
 * The steps that have passed a rate and whose calls have not begun. One that waits elsewhere, for its agent or for another limit,
 * is expected to call until its slot has passed unused: then the next step may pass, and the rate of its key goes on.
 */

/** See above. Instants are ms since the epoch. */
export interface CallsAhead {
  /** The calls that are expected to begin before those of steps that pass now. */
  size(nowMs: number): number;
  /** Those of them whose requests are sent. */
  started(nowMs: number): number;
  /** When the first slot of them has passed; infinite: there is none. */
  passesAt(): number;
  /** A step passes. @param passesAt when its slot has passed unused */
  add(passesAt: number): CallAhead;
  /** None is expected any more: the slots are other ones. */
  forget(): void;
}

/** The next call of one step. */
export interface CallAhead {
  isExpected(nowMs: number): boolean;
  /** Its request is sent. @param passesAt when its slot has passed unused */
  start(passesAt: number): void;
  /** It has begun, or is not made. */
  end(): void;
}

interface Expected {
  passesAt: number;
}

/** No step has passed at first. */
export function callsAhead(): CallsAhead {
  const waiting = new Set<Expected>();
  const sent = new Set<Expected>();
  let seenMs = Number.NEGATIVE_INFINITY;

  function forget(): void {
    waiting.clear();
    sent.clear();
  }

  function look(nowMs: number): void {
    // The clock was set back, and the slots with it.
    if (nowMs < seenMs) forget();
    seenMs = nowMs;
    dropPassed(waiting, nowMs);
    dropPassed(sent, nowMs);
  }

  return {
    size(nowMs) {
      look(nowMs);
      return waiting.size + sent.size;
    },
    started(nowMs) {
      look(nowMs);
      return sent.size;
    },
    passesAt: () => Math.min(first(waiting), first(sent)),
    add(passesAt) {
      const own: Expected = { passesAt };
      waiting.add(own);
      return {
        isExpected(nowMs) {
          look(nowMs);
          return waiting.has(own);
        },
        start(again) {
          waiting.delete(own);
          own.passesAt = again;
          sent.add(own);
        },
        end() {
          waiting.delete(own);
          sent.delete(own);
        },
      };
    },
    forget,
  };
}

/** The first ones pass first, nearly always. */
function dropPassed(calls: Set<Expected>, nowMs: number): void {
  for (const one of calls) {
    if (one.passesAt > nowMs) return;
    calls.delete(one);
  }
}

function first(calls: ReadonlySet<Expected>): number {
  for (const { passesAt } of calls) return passesAt;
  return Number.POSITIVE_INFINITY;
}
