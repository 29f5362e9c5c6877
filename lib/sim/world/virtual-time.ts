/**
 * Virtual time: jumps to the next due event. Between two events all promises settle, so that a seed has exactly one
 * course of events.
 */

/** Calls `then` when no promise can continue by itself. */
export type Settle = (then: () => void) => void;

export interface Timeline {
  /** Milliseconds since the epoch, by the only clock that is always right. */
  now(): number;
  /** Schedules work; the returned function cancels it. */
  at(instant: number, work: () => void): () => void;
  /** Runs everything due until then. */
  runUntil(instant: number): Promise<void>;
  /** The instant of the next event; infinite when there is none. */
  nextAt(): number;
}

interface ScheduledEvent {
  readonly at: number;
  /** Orders events at the same instant by their creation. */
  readonly place: number;
  work: (() => void) | null;
}

export function timeline(start: number, settle: Settle): Timeline {
  const heap: ScheduledEvent[] = [];
  let nowMs = start;
  let made = 0;

  return {
    now: () => nowMs,
    at(instant, work) {
      const event = { at: Math.max(Math.ceil(instant), nowMs), place: made, work };
      made += 1;
      push(heap, event);
      return () => cancel(event);
    },
    nextAt: () => next()?.at ?? Number.POSITIVE_INFINITY,
    runUntil: (instant) =>
      new Promise((resolve, reject) => {
        // Worlds have many events, and most do little: a promise for each would be much of their cost.
        const turn = () => {
          try {
            if (runNext(instant)) settle(turn);
            else resolve();
          } catch (error) {
            reject(error);
          }
        };
        turn();
      }),
  };

  /** False when nothing is due until then. */
  function runNext(instant: number): boolean {
    const due = next();
    if (due === undefined || due.at > instant) {
      nowMs = Math.max(nowMs, instant);
      return false;
    }
    nowMs = due.at;
    pop(heap);
    due.work?.();
    return true;
  }

  function next(): ScheduledEvent | undefined {
    while (heap[0]?.work === null) pop(heap);
    return heap[0];
  }
}

function cancel(event: ScheduledEvent): void {
  event.work = null;
}

const isBefore = (a: ScheduledEvent, b: ScheduledEvent) =>
  a.at < b.at || (a.at === b.at && a.place < b.place);

function push(heap: ScheduledEvent[], item: ScheduledEvent): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const up = (at - 1) >> 1;
    const parent = heap[up];
    if (parent === undefined || !isBefore(item, parent)) break;
    heap[at] = parent;
    at = up;
  }
  heap[at] = item;
}

function pop(heap: ScheduledEvent[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const isRight = right !== undefined && left !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
}
