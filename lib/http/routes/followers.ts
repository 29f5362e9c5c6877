/**
 * All who follow events. Readers must never slow orders, so their work is bounded whatever they do:
 *
 * 1. One listener takes what is committed, for all of them; none while nobody follows.
 * 2. What happened is handed on in rounds, a few followers in one go, at a pace that grows with their number.
 * 3. A round has so many changes at most: where there are more, the latest of each order, and of further orders
 *    only how many they are.
 * 4. There are so many followers at most, and one that is too far behind is cut off.
 */
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Watch } from '#http/api-ports.ts';
import type { Clock } from '#ports/clock.ts';
import { type Follower, follower } from './follower.ts';
import { eventOf, keepAlive, type OrderEvents } from './order-events.ts';

export interface FollowerLimits {
  readonly followersMax: number;
  /** What one follower may have unread. */
  readonly bufferBytesMax: number;
  readonly changesPerRoundMax: number;
  /** Followers that are handed their events in one go. */
  readonly inOneGo: number;
  /** Between two goes, and two rounds, ms. */
  readonly paceMs: number;
  /** Something is sent at least so often, ms: proxies close a quiet connection. */
  readonly keepAliveMs: number;
}

/**
 * Sixteen followers cost about half a millisecond, so that a thousand take one thirtieth of the time, and each
 * of them is sent what happened once a second.
 */
export const followerLimits: FollowerLimits = {
  followersMax: 1_000,
  bufferBytesMax: 1_048_576,
  changesPerRoundMax: 64,
  inOneGo: 16,
  paceMs: 16,
  keepAliveMs: 15_000,
};

/** Which orders are followed; those who follow the same ones share what they are sent. */
export interface Scope {
  readonly key: string;
  has(record: ProcessRecord): boolean;
}

/** What happened since the round before. */
export interface Round {
  /** What everybody who follows this scope is sent; empty when nothing happened in it. */
  in(scope: Scope): Uint8Array;
  latest(orderId: OrderId): ProcessRecord | undefined;
}

export interface Following {
  /** Null: those of a scope. */
  readonly orderId: OrderId | null;
  /** Hands the follower what it wants of a round. */
  take(to: Follower, round: Round): void;
}

export interface Followers {
  /** Null when there are as many as there may be. */
  follow(following: Following): Follower | null;
  count(): number;
}

export interface FollowersPorts {
  readonly watch: Watch;
  readonly clock: Clock;
  readonly eventsOf: OrderEvents;
  /** Default: `followerLimits`. */
  readonly limits?: FollowerLimits;
}

const farewell = eventOf('dropped', {
  code: 'too-slow',
  detail: 'You were too far behind. Connect again, and read what you need anew.',
});

export function followers(ports: FollowersPorts): Followers {
  const { watch, clock, eventsOf, limits = followerLimits } = ports;
  const members = new Map<Follower, Following>();
  /** How many follow each order that somebody follows, or under null those of a scope. */
  const wanted = new Map<OrderId | null, number>();
  let changes = gathered(limits.changesPerRoundMax);
  let stopWatching: () => void = () => {};
  let cancelBeat: () => void = () => {};
  let isRoundDue = false;
  const inGoes = goesOver(members, clock, limits);

  function on(record: ProcessRecord): void {
    const inScope = wanted.has(null);
    const byItself = wanted.has(record.orderId);
    if (!inScope && !byItself) return;
    changes.add(record, inScope, byItself);
    if (isRoundDue) return;
    isRoundDue = true;
    clock.after(limits.paceMs, begin);
  }

  function begin(): void {
    const round = roundOf(changes, eventsOf, limits);
    changes = gathered(limits.changesPerRoundMax);
    inGoes(
      ([reader, { take }]) => take(reader, round),
      () => {
        isRoundDue = !changes.isEmpty();
        if (isRoundDue) clock.after(limits.paceMs, begin);
      },
    );
  }

  function beat(): void {
    cancelBeat = clock.after(limits.keepAliveMs, beat);
    inGoes(
      ([reader]) => reader.push(keepAlive),
      () => {},
    );
  }

  function count(orderId: OrderId | null, by: 1 | -1): void {
    const now = (wanted.get(orderId) ?? 0) + by;
    if (now === 0) wanted.delete(orderId);
    else wanted.set(orderId, now);
  }

  function leave(reader: Follower, { orderId }: Following): void {
    members.delete(reader);
    count(orderId, -1);
    if (members.size > 0) return;
    stopWatching();
    cancelBeat();
    changes = gathered(limits.changesPerRoundMax);
  }

  return {
    count: () => members.size,
    follow(following) {
      if (members.size >= limits.followersMax) return null;
      const reader: Follower = follower({
        bufferBytesMax: limits.bufferBytesMax,
        farewell,
        onGone: () => leave(reader, following),
      });
      if (members.size === 0) {
        stopWatching = watch(on);
        cancelBeat = clock.after(limits.keepAliveMs, beat);
      }
      members.set(reader, following);
      count(following.orderId, 1);
      return reader;
    },
  };
}

type Member = readonly [Follower, Following];

/** Hands something to all who are there: a few in one go, so that others get their turn, and then `done`. */
function goesOver(
  members: ReadonlyMap<Follower, Following>,
  clock: Clock,
  { inOneGo, paceMs }: FollowerLimits,
) {
  return (hand: (member: Member) => void, done: () => void): void => {
    const all = [...members];
    const go = (from: number): void => {
      const next = from + inOneGo;
      for (const member of all.slice(from, next)) if (members.has(member[0])) hand(member);
      if (next < all.length && members.size > 0) clock.after(paceMs, () => go(next));
      else done();
    };
    go(0);
  };
}

/** Changes until the next round. Of a scope all of them, or where that are too many the latest of each order. */
function gathered(max: number) {
  const each: ProcessRecord[] = [];
  const latest = new Map<OrderId, ProcessRecord>();
  const byItself = new Map<OrderId, ProcessRecord>();
  return {
    byItself,
    isEmpty: () => latest.size === 0 && byItself.size === 0,
    add(record: ProcessRecord, isInScope: boolean, isByItself: boolean) {
      const { orderId } = record;
      if (isByItself) byItself.set(orderId, record);
      if (!isInScope) return;
      if (each.length <= max) each.push(record);
      // Taken out first, so that the order of the map is that in which orders last changed.
      latest.delete(orderId);
      latest.set(orderId, record);
    },
    inScope: () => (each.length <= max ? each : [...latest.values()]),
  };
}

function roundOf(
  changes: ReturnType<typeof gathered>,
  eventsOf: OrderEvents,
  { changesPerRoundMax }: FollowerLimits,
): Round {
  const made = new Map<string, Uint8Array>();
  const all = changes.inScope();
  return {
    latest: (orderId) => changes.byItself.get(orderId),
    in({ key, has }) {
      const known = made.get(key);
      if (known !== undefined) return known;
      const own = all.filter(has);
      const events = own.slice(-changesPerRoundMax).map(eventsOf.order);
      const missed = own.length - events.length;
      if (missed > 0) events.push(eventOf('missed', { orders: missed }));
      const bytes = joined(events);
      made.set(key, bytes);
      return bytes;
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}
