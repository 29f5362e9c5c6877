/** One item of calls at once, as one instance knows it. */
import type { Clock } from '#ports/clock.ts';
import type { Holders, LimitItems } from '#ports/limit-items.ts';
import { isOlder } from '../read-age.ts';

/** See {@link roomItem}. */
export interface RoomItem {
  /** How many have room, as far as is known. */
  used(): number;
  /**
   * Whether the holder, which comes now, has room; those that come together share a write.
   *
   * @param max holders at once
   * @throws {UnavailableError}
   */
  enter(holder: string, until: number, max: number): Promise<boolean>;
  /** When it was read last, ms since the epoch; `-Infinity`: never. */
  readAt(): number;
  /** Reads who has room. @throws {UnavailableError} */
  look(): Promise<void>;
  /** The holder has gone. `isScarce`: others may want its room. */
  leave(holder: string, isScarce: boolean): void;
  /** The holder may stay until then. False: it has no room. @throws {UnavailableError} */
  extend(holder: string, until: number): Promise<boolean>;
  /** Writes who has gone, if others may want their room. @throws {UnavailableError} */
  settle(): Promise<void>;
}

/** A full item is asked again after this, ms. */
export const askAgainMs = 200;
/** An item is kept for so long after the time of its last holder, ms: clocks differ. */
const keepMs = 24 * 60 * 60_000;
/**
 * Until when an item is kept after a write. The writer knows neither all holders nor who of them is extended later, but none
 * has room for longer than `longestMs` from now.
 */
const keptUntil = (nowMs: number, longestMs: number) => nowMs + longestMs + keepMs;
/** Another instance may change the item between two writes; after so many writes the call waits. */
const writesMax = 3;
/** Those who have gone are written at the latest when so many of one item are known. */
const goneMax = 20;

/** Those who come together. */
interface Batch {
  readonly come: Map<string, number>;
  readonly max: number;
  readonly entered: Promise<ReadonlySet<string>>;
}

/** Options of {@link roomItem}. */
export interface RoomItemOptions {
  readonly items: LimitItems;
  readonly clock: Pick<Clock, 'now'>;
  /** No correct clock gives room for longer than that, ms. */
  readonly longestMs: number;
}

/** Whether those who come are there already: the client repeated a write whose answer was lost. */
const isRepeated = (come: Holders, holders: Holders) =>
  come.size > 0 && [...come].every(([holder, until]) => holders.get(holder) === until);

/** Nothing is known at first. */
export function roomItem({ items, clock, longestMs }: RoomItemOptions, name: string): RoomItem {
  let holders: Holders = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  /** They have gone, which is not written yet. */
  const gone = new Set<string>();
  let isWanted = false;
  let batch: Batch | null = null;

  /** Those of the stored holders that have gone, or whose time is over or was written by a wrong clock. */
  function free(): Holders {
    const nowMs = clock.now();
    const latest = nowMs + longestMs;
    return new Map(
      [...holders].filter(([holder, until]) => gone.has(holder) || until < nowMs || until > latest),
    );
  }

  const used = () => holders.size - free().size;

  async function write(come: Holders, max: number): Promise<boolean> {
    const known = free();
    const left = [...gone].filter((holder) => !known.has(holder) && !come.has(holder));
    const written = await items.occupy(name, {
      ...{ come, gone: known, left, max, keepUntil: keptUntil(clock.now(), longestMs) },
    });
    holders = written.holders;
    readAt = clock.now();
    const isDone = written.isDone || isRepeated(come, written.holders);
    if (isDone) {
      for (const holder of [...known.keys(), ...left]) gone.delete(holder);
      isWanted = false;
    }
    return isDone;
  }

  /** Lets as many of them enter as there is room for. */
  async function enterAll({ come, max }: Batch): Promise<ReadonlySet<string>> {
    for (let writes = 0; writes < writesMax; writes += 1) {
      const isOld = isOlder(readAt, askAgainMs, clock.now());
      const count = Math.max(writes === 0 && isOld ? 1 : 0, max - used());
      const some = new Map([...come].slice(0, count));
      if (some.size === 0) break;
      if (await write(some, max)) return new Set(some.keys());
    }
    return new Set();
  }

  function begin(max: number): Batch {
    const entered = Promise.resolve().then(() => {
      batch = null;
      return enterAll(own);
    });
    const own: Batch = { come: new Map<string, number>(), max, entered };
    return own;
  }

  return {
    used,
    async enter(holder, until, max) {
      const own = batch ?? begin(max);
      batch = own;
      own.come.set(holder, until);
      return (await own.entered).has(holder);
    },
    readAt: () => readAt,
    async look() {
      await write(new Map(), 0);
    },
    leave(holder, isScarce) {
      gone.add(holder);
      isWanted ||= isScarce || gone.size >= goneMax;
    },
    async extend(holder, until) {
      const keepUntil = keptUntil(clock.now(), longestMs);
      const isExtended = await items.extend(name, holder, { until, keepUntil });
      if (isExtended && holders.has(holder)) holders = new Map(holders).set(holder, until);
      return isExtended;
    },
    async settle() {
      // Another instance may have extended the time of one that has gone.
      for (let writes = 0; writes < writesMax && isWanted && gone.size > 0; writes += 1) {
        await write(new Map(), 0);
      }
    },
  };
}
