/**
 * Room for calls at once that all instances share. The item of a limit and key has its holders, each with the instant until
 * which it has room at most: the complete-by of its attempt and a grace. So what a crash leaves is free by itself (R22). Holders
 * that have gone leave with the next write, which is soon where the room is scarce.
 *
 * A limit of many calls has several items, so that each is written as one unit and none is written too often. Each has a share of the
 * limit, see {@link sharesOf}. When operators lower the limit, an item may have more holders than its new share: the others then have so much less room. No
 * item gets holders beyond its share once all instances know the number, so what is read of an item after that is not too little.
 */

import type { LimitSlot } from '#core/model/message.ts';
import { recentMap } from '#core/model/recent-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import type { Random } from '#ports/random.ts';
import { isOlder } from '../read-age.ts';
import { graceMs } from './known-holders.ts';
import { askAgainMs, type RoomItem, roomItem } from './room-item.ts';

/** A holder that comes. */
export interface RoomWant {
  /** Of the limit and key. */
  readonly name: string;
  /** Calls at once. */
  readonly max: number;
  /** As the limit is defined: its items stay the same when operators change it. */
  readonly definedMax: number;
  /** Names the lease: another one for each, also of one attempt. */
  readonly holder: string;
  /** The complete-by of the attempt, or later, by the time of the queues, ms since the epoch. */
  readonly until: number;
  /** Others wait for room: this call gets it only where most of it is free. */
  readonly isBehind: boolean;
}

/** See above. */
export interface RoomLeases {
  /** The room that the holder has now; null: there is none. @throws {UnavailableError} */
  enter(want: RoomWant): Promise<LimitSlot | null>;
  /** The holder has gone from this room. */
  leave(room: LimitSlot, holder: string): void;
  /** The attempt of the holder may take until then. False: the holder has no room. @throws {UnavailableError} */
  extend(item: string, holder: string, until: number): Promise<boolean>;
  /** Writes who has gone where room is scarce. @throws {UnavailableError} what could not be written is written by the next call */
  settle(): Promise<void>;
}

/** Holders of one item: it is then smaller than a unit of DynamoDB, 1 KB. */
const itemHoldersMax = 40;
/** Items that are asked for one holder. */
const triesMax = 3;
/** All instances know a changed number of a limit so long after the first one, ms: they read it once a second. */
const inForceMs = 2_000;
/** Items that are remembered. */
const knownMax = 10_000;

/** Options of {@link roomLeases}. */
export interface RoomLeasesOptions {
  readonly items: LimitItems;
  /** By the time of the queues. */
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** Makes the leases of one instance. */
export function roomLeases({ items, clock, random }: RoomLeasesOptions): RoomLeases {
  const known = recentMap<RoomItem>(knownMax);
  /** The items from which holders have gone, until that is written. */
  const left = new Set<string>();
  /** The number of each limit that has several items, and since when this instance knows it. */
  const numbers = recentMap<{ readonly max: number; readonly since: number }>(knownMax);

  function of(name: string): RoomItem {
    const item = known.get(name) ?? roomItem({ items, clock }, name);
    known.set(name, item);
    return item;
  }

  /** After an error it may have entered. */
  async function entering(name: string, item: RoomItem, want: RoomWant, max: number) {
    try {
      return await item.enter(want.holder, want.until + graceMs, max);
    } catch (error) {
      item.doubted(want.holder);
      left.add(name);
      throw error;
    }
  }

  /** Since when this instance knows the number of the limit. */
  function sinceOf({ name, max }: RoomWant): number {
    const number = numbers.get(name);
    const isSame = number?.max === max && number.since <= clock.now();
    const since = isSame ? number.since : clock.now();
    numbers.set(name, { max, since });
    return since;
  }

  /** The items of the limit, each with the room that it has while others may have more holders than their shares. */
  async function itemsOf(want: RoomWant): Promise<readonly RoomOfItem[]> {
    const shares = sharesOf(want).map((share) => ({ ...share, item: of(share.name) }));
    if (shares.length === 1) return shares;
    const nowMs = clock.now();
    const since = sinceOf(want);
    const readSince = nowMs - since < inForceMs ? since : since + inForceMs;
    const excessOf = (share: RoomOfItem) => Math.max(0, share.item.used() - share.max);
    const isUnsure = ({ item, max }: RoomOfItem) =>
      item.readAt() < readSince || (item.used() > max && isOlder(item.readAt(), askAgainMs, nowMs));
    await Promise.all(shares.filter(isUnsure).map(({ item }) => item.look(readSince)));
    const excess = shares.reduce((sum, share) => sum + excessOf(share), 0);
    return shares.map((share) => ({ ...share, max: share.max - excess + excessOf(share) }));
  }

  return {
    async enter(want) {
      const shares = await itemsOf(want);
      const start = Math.floor(random.next() * shares.length);
      const inTurn = [...shares.slice(start), ...shares.slice(0, start)];
      const emptiest = inTurn.toSorted((a, b) => b.max - b.item.used() - (a.max - a.item.used()));
      // Where operators lowered the limit, an item may have no share.
      const own = emptiest.filter(({ max }) => max > 0);
      // Of the one with most room only: a read of an item is a write.
      const [first] = own;
      if (want.isBehind && first !== undefined) await lookIfHalfUsed(first, clock.now());
      for (const { name, max, item } of own.slice(0, triesMax)) {
        if (want.isBehind && isHalfUsed({ max, item })) continue;
        const hasEntered = await entering(name, item, want, max);
        if (!hasEntered) continue;
        return item.used() > max / 2 ? { name, isScarce: true } : { name };
      }
      return null;
    },
    leave({ name, isScarce }, holder) {
      of(name).left(holder, isScarce === true);
      left.add(name);
    },
    extend: (item, holder, until) => of(item).extend(holder, until + graceMs),
    async settle() {
      const settled = await Promise.allSettled(
        [...left].map(async (name) => {
          // What could not be written is written after a later batch: its room would be taken until its complete-by.
          if (await of(name).settle()) left.delete(name);
        }),
      );
      for (const one of settled) if (one.status === 'rejected') throw one.reason;
    },
  };
}

const isHalfUsed = ({ item, max }: Pick<RoomOfItem, 'item' | 'max'>) => item.used() >= max / 2;

/** By what was known a minute ago, calls would be refused although all others have ended. */
async function lookIfHalfUsed(share: RoomOfItem, nowMs: number): Promise<void> {
  const { item } = share;
  if (isHalfUsed(share) && isOlder(item.readAt(), askAgainMs, nowMs)) await item.look(nowMs);
}

interface Share {
  readonly name: string;
  readonly max: number;
}

/** An item of a limit, and how many holders it may have. */
interface RoomOfItem extends Share {
  readonly item: RoomItem;
}

/**
 * The items of a limit: one, or as many as each has few holders. The first one has the first 40 calls, the next one the calls from 41 to
 * 80, and so on, with any number: so two releases that define other numbers share the items that both know, each with a share that is
 * the same or a part of the other one, and the calls of both are never more than the larger number (R21). With equal shares, an item
 * of the larger one would be none that the other one counts. What operators allow beyond the definition is divided among its items, because
 * instances that do not know of the change any more must count those who have come by it.
 */
function sharesOf({ name, max, definedMax }: Share & { definedMax: number }): readonly Share[] {
  const count = Math.ceil(definedMax / itemHoldersMax);
  const more = Math.max(0, max - definedMax);
  const defined = Math.min(max, definedMax);
  return Array.from({ length: count }, (_, at) => {
    const own = Math.min(itemHoldersMax, Math.max(0, defined - at * itemHoldersMax));
    return { name: at === 0 ? name : `${name}~${at}`, max: own + Math.floor((more + at) / count) };
  });
}
