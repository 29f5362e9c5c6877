/**
 * Items that wait for an instant, with one timer for all of them, at the earliest instant. It bounds its memory: it takes at
 * most `max` items, and its caller must find the others in another way.
 */
import { type HeapNode, indexedHeap } from './indexed-heap.ts';

/** The part of a clock that the queue needs. */
interface Timer {
  now(): number;
  after(ms: number, work: () => void): () => void;
}

/** Options of {@link timedQueue}. */
export interface TimedQueueOptions<Item> {
  readonly clock: Timer;
  /** Items that wait at the same time, at most. */
  readonly max: number;
  /** Called with the items whose instant has come, in the order of their instants. */
  readonly onTime: (items: readonly Item[]) => void;
}

/** See {@link timedQueue}. `Timed` items must be those of this queue. */
export interface TimedQueue<Item> {
  size(): number;
  /** Null when the queue is full: it forgets the item. */
  add(item: Item, at: number): Timed<Item> | null;
  /** Forgets an item whose instant has not come. */
  remove(timed: Timed<Item>): void;
  /** Changes the instant of an item whose instant has not come. */
  move(timed: Timed<Item>, at: number): void;
  /** Forgets all items; no timer is left. */
  close(): void;
}

/** An item in the queue. */
export interface Timed<Item> extends HeapNode {
  readonly item: Item;
  instant: number;
  /** Orders the items of one instant as they came. */
  readonly place: number;
}

/** Makes an empty queue. */
export function timedQueue<Item>({
  clock,
  max,
  onTime,
}: TimedQueueOptions<Item>): TimedQueue<Item> {
  const heap = indexedHeap<Timed<Item>>(
    (one, other) =>
      one.instant < other.instant || (one.instant === other.instant && one.place < other.place),
  );
  let places = 0;
  let isClosed = false;
  /** The instant of the timer; infinite when there is none. */
  let timerAt = Number.POSITIVE_INFINITY;
  let cancel = () => {};

  function setTimer(): void {
    const next = heap.first()?.instant ?? Number.POSITIVE_INFINITY;
    if (next >= timerAt) return;
    cancel();
    timerAt = next;
    cancel = clock.after(next - clock.now(), ring);
  }

  function ring(): void {
    timerAt = Number.POSITIVE_INFINITY;
    const due: Item[] = [];
    const nowMs = clock.now();
    for (let next = heap.first(); next !== undefined && next.instant <= nowMs; ) {
      heap.remove(next);
      due.push(next.item);
      next = heap.first();
    }
    setTimer();
    if (due.length > 0) onTime(due);
  }

  return {
    size: heap.size,
    add(item, at) {
      if (isClosed || heap.size() >= max) return null;
      const timed = { item, instant: at, place: places++, at: 0 };
      heap.add(timed);
      setTimer();
      return timed;
    },
    // The timer stays: it finds nothing, and is set again.
    remove: heap.remove,
    move(timed, at) {
      if (isClosed) return;
      timed.instant = at;
      heap.moved(timed);
      setTimer();
    },
    close() {
      isClosed = true;
      cancel();
      for (let next = heap.first(); next !== undefined; next = heap.first()) heap.remove(next);
    },
  };
}
