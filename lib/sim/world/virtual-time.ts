/**
 * Virtual time: what is due next happens next, and nothing else passes. Between two happenings all
 * promises come to rest, so that one seed has one course of events.
 */

/** Resolves when no promise is left that could go on by itself. */
export type Settle = () => Promise<void>;

export interface Timeline {
  /** Milliseconds since the epoch, by the one clock that is right. */
  now(): number;
  /** The function it gives takes the appointment back. */
  at(instant: number, work: () => void): () => void;
  /** Lets happen what is due until then. */
  runUntil(instant: number): Promise<void>;
  /** When something is due next; infinite when nothing ever is. */
  nextAt(): number;
}

interface Appointment {
  readonly at: number;
  /** Of two at one instant, the one that was made first. */
  readonly place: number;
  work: (() => void) | null;
}

export function timeline(start: number, settle: Settle): Timeline {
  const heap: Appointment[] = [];
  let now = start;
  let made = 0;

  return {
    now: () => now,
    at(instant, work) {
      const appointment = { at: Math.max(Math.ceil(instant), now), place: made, work };
      made += 1;
      push(heap, appointment);
      return () => cancel(appointment);
    },
    nextAt: () => next()?.at ?? Number.POSITIVE_INFINITY,
    async runUntil(instant) {
      for (let due = next(); due !== undefined && due.at <= instant; due = next()) {
        now = due.at;
        pop(heap);
        due.work?.();
        await settle();
      }
      now = Math.max(now, instant);
    },
  };

  function next(): Appointment | undefined {
    while (heap[0]?.work === null) pop(heap);
    return heap[0];
  }
}

function cancel(appointment: Appointment): void {
  appointment.work = null;
}

const isBefore = (a: Appointment, b: Appointment) =>
  a.at < b.at || (a.at === b.at && a.place < b.place);

function push(heap: Appointment[], item: Appointment): void {
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

function pop(heap: Appointment[]): void {
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
