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

/** See {@link timedQueue}. */
export interface TimedQueue<Item> {
  size(): number;
  /** Returns false, and forgets the item, when the queue is full. */
  add(item: Item, at: number): boolean;
  /** Forgets all items; no timer is left. */
  close(): void;
}

interface Entry<Item> extends HeapNode {
  readonly item: Item;
  readonly instant: number;
  /** Orders the items of one instant as they came. */
  readonly place: number;
}

/** Makes an empty queue. */
export function timedQueue<Item>({
  clock,
  max,
  onTime,
}: TimedQueueOptions<Item>): TimedQueue<Item> {
  const heap = indexedHeap<Entry<Item>>(
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
      if (isClosed || heap.size() >= max) return false;
      heap.add({ item, instant: at, place: places++, at: 0 });
      setTimer();
      return true;
    },
    close() {
      isClosed = true;
      cancel();
      for (let next = heap.first(); next !== undefined; next = heap.first()) heap.remove(next);
    },
  };
}
