/**
 * Which undelivered changes of one channel are in memory: the first ones. What comes while there are many stays in the outbox, and is read
 * from there when few are left.
 */
import type { Clock } from '#ports/clock.ts';
import type { ChangePage, StoredChange } from '#ports/outbox.ts';

/** Changes of one channel that wait in memory at most, by default: some 2 MB. */
export const keptMaxDefault = 1_000;

/** Between two pages, ms: so long other work runs. */
export const pauseMs = 5;
/** Before a page that could not be read is read again, ms. */
export const retryMs = 30_000;

/** What {@link keptChanges} uses. */
export interface KeptChangesOptions {
  /** The entries of the channel in a page of the outbox; null when it cannot be read now. */
  readonly page: (after: number) => ChangePage | null;
  readonly clock: Clock;
  /** How many may wait in memory. When no more than half of them do, the next ones are read. */
  readonly keptMax: number;
  /** How many do. */
  readonly waiting: () => number;
  /** Takes an entry into memory. */
  readonly add: (stored: StoredChange) => void;
}

/** See {@link keptChanges}. */
export interface KeptChanges {
  /** Takes a new entry into memory, unless earlier ones of the channel are left in the outbox, or it has enough. */
  offer(stored: StoredChange): void;
  /** Reads the next ones if few wait. */
  refill(): void;
  stop(): void;
}

/** Makes it for a channel of which nothing is in memory. */
export function keptChanges(options: KeptChangesOptions): KeptChanges {
  const { page, clock, keptMax, waiting, add } = options;
  /** All entries up to this number are in memory, or were delivered; null: so are all there are. */
  let readTo: number | null = null;
  /** The last entry that was read from the outbox: it is offered again if its commit is notified after that. */
  let lastRead = 0;
  let isReading = false;
  let cancel = () => {};

  function take(stored: StoredChange): boolean {
    const hasRoom = waiting() < keptMax;
    if (hasRoom) add(stored);
    else readTo = stored.seq - 1;
    return hasRoom;
  }

  function readFrom(after: number): void {
    const read = page(after);
    if (read === null) {
      later(after, retryMs);
      return;
    }
    isReading = false;
    readTo = null;
    for (const stored of read.entries) {
      if (!take(stored)) return;
      lastRead = stored.seq;
    }
    if (read.next !== null) later(read.next, pauseMs);
  }

  function later(after: number, ms: number): void {
    readTo = after;
    isReading = true;
    cancel = clock.after(ms, () => readFrom(after));
  }

  return {
    offer(stored) {
      if (readTo === null && stored.seq > lastRead) take(stored);
    },
    refill() {
      if (readTo === null || isReading || waiting() > keptMax / 2) return;
      readFrom(readTo);
    },
    stop() {
      isReading = true;
      cancel();
    },
  };
}
