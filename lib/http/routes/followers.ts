/**
 * All followers of events. Followers must never slow down orders, so the work for them is bounded:
 *
 * 1. One listener receives the commits for all followers; none while there are no followers.
 * 2. Events are sent in rounds, to a few followers at a time; a round takes longer the more followers there are.
 * 3. A round has a maximum number of changes. Beyond it, a round has only the latest change of each order, and for
 *    further orders only their number.
 * 4. The number of followers is limited, and one with too many unread bytes is disconnected.
 * 5. One owner has nine times as many as are free, at most: with the last free ones, others can follow too.
 */
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Watch } from '#http/api-ports.ts';
import type { Clock } from '#ports/clock.ts';
import { type Follower, follower } from './follower.ts';
import { eventOf, keepAlive, type OrderEvents } from './order-events.ts';

export interface FollowerLimits {
  readonly followersMax: number;
  /** Unread bytes of one follower, at most. */
  readonly bufferBytesMax: number;
  readonly changesPerRoundMax: number;
  /** Followers served at a time. */
  readonly groupMax: number;
  /** The pause after each such group, and between rounds, ms. */
  readonly paceMs: number;
  /** The longest time without a byte, ms, because proxies close idle connections. */
  readonly keepAliveMs: number;
}

/**
 * Sixteen followers cost about half a millisecond, so a thousand use one thirtieth of the time, and each gets its
 * events once per second.
 */
export const followerLimits: FollowerLimits = {
  followersMax: 1_000,
  bufferBytesMax: 1_048_576,
  changesPerRoundMax: 64,
  groupMax: 16,
  paceMs: 16,
  keepAliveMs: 15_000,
};

/** How many followers an owner may have for each free place: 9 leave a tenth of all places to others. */
const ownedPerFree = 9;

/** A set of orders; its followers share their events. */
export interface Scope {
  readonly key: string;
  has(record: ProcessRecord): boolean;
}

/** The changes since the previous round. */
export interface Round {
  /** The events for the followers of the scope; empty when there are none. */
  in(scope: Scope): Uint8Array;
  latest(orderId: OrderId): ProcessRecord | undefined;
}

export interface Following {
  /** Null: the orders of a scope. */
  readonly orderId: OrderId | null;
  /** Who follows: the owners share the places. */
  readonly owner: string;
  /** Pushes the events of a round to the follower. */
  take(to: Follower, round: Round): void;
}

export interface Followers {
  /** Null when the limit of followers is reached, or the part of the owner. */
  follow(following: Following): Follower | null;
  /** The followers of an owner. */
  count(owner: string): number;
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
  detail: 'Too many events were unread. Connect again, and read the documents that you need again.',
});

export function followers(ports: FollowersPorts): Followers {
  const { watch, clock, eventsOf, limits = followerLimits } = ports;
  const members = new Map<Follower, Following>();
  /** The number of followers by order; under null, that of scopes. */
  const wanted = new Map<OrderId | null, number>();
  let changes = batchedChanges(limits.changesPerRoundMax);
  let stopWatching: () => void = () => {};
  let cancelBeat: () => void = () => {};
  let isRoundDue = false;
  const inGoes = inGroups(members, clock, limits);

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
    changes = batchedChanges(limits.changesPerRoundMax);
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

  function want(orderId: OrderId | null, by: 1 | -1): void {
    const count = (wanted.get(orderId) ?? 0) + by;
    if (count === 0) wanted.delete(orderId);
    else wanted.set(orderId, count);
  }

  const count = (owner: string) =>
    [...members.values()].filter((one) => one.owner === owner).length;

  function leave(reader: Follower, { orderId }: Following): void {
    members.delete(reader);
    want(orderId, -1);
    if (members.size > 0) return;
    stopWatching();
    cancelBeat();
    changes = batchedChanges(limits.changesPerRoundMax);
  }

  return {
    count,
    follow(following) {
      const { orderId, owner } = following;
      const free = limits.followersMax - members.size;
      if (count(owner) >= free * ownedPerFree) return null;
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
      want(orderId, 1);
      return reader;
    },
  };
}

type Member = readonly [Follower, Following];

/** Serves all present followers, a few at a time so that other work can run, then calls `done`. */
function inGroups(
  members: ReadonlyMap<Follower, Following>,
  clock: Clock,
  { groupMax, paceMs }: FollowerLimits,
) {
  return (hand: (member: Member) => void, done: () => void): void => {
    const all = [...members];
    const go = (from: number): void => {
      const next = from + groupMax;
      for (const member of all.slice(from, next)) if (members.has(member[0])) hand(member);
      if (next < all.length && members.size > 0) clock.after(paceMs, () => go(next));
      else done();
    };
    go(0);
  };
}

/** Changes until the next round: all of them or, beyond the limit, the latest of each order. */
function batchedChanges(max: number) {
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
      // Deleted first, so that the map is ordered by the last change.
      latest.delete(orderId);
      latest.set(orderId, record);
    },
    inScope: () => (each.length <= max ? each : [...latest.values()]),
  };
}

function roundOf(
  changes: ReturnType<typeof batchedChanges>,
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
