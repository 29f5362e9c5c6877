/**
 * The slots of one call in all of its limits: room in those of calls at once first, and then slots of the rates. It gets all of
 * them or none, so no call waits for one limit with the room of another.
 */
import { callsItemName, rateItemName } from '#core/flow/limit-names.ts';
import type { CallSlots, LimitSlot, Request } from '#core/model/message.ts';
import type { QueueClock } from '../queue-clock.ts';
import { leaseCommonSlot, type WantOf } from './common-slot.ts';
import type { CountedLimit } from './counted-limits.ts';
import { graceMs } from './known-holders.ts';
import type { LimitQueues, QueueRefusal } from './limit-queues.ts';
import type { LeasedRate, SlotRefusal, SlotWant } from './rate-item.ts';
import type { RateLeases } from './rate-leases.ts';
import { askAgainMs } from './room-item.ts';
import type { RoomLeases } from './room-leases.ts';

/** See {@link callSlots}. */
export interface CallSlotsPorts {
  readonly rates: RateLeases;
  readonly rooms: RoomLeases;
  readonly queues: Pick<LimitQueues, 'areWaiting'>;
  readonly time: Pick<QueueClock, 'now' | 'latest'>;
  /** A new name for the one who has room. */
  readonly newHolder: () => string;
}

/** A limit that has no room for the call. */
export interface Refused {
  readonly queue: string;
  readonly why: QueueRefusal;
}

/**
 * A slot is at most so far ahead, ms: a small part of the time of its attempt, but at least the time of a request on its way, and
 * never so much that less than half of its time is left for the call (`late-begin.ts`).
 */
const horizon = { minMs: 250, maxMs: 2_000, part: 0.1, mostPart: 0.5 };
/** Rates whose slots lie apart are leased anew, for one instant; after so many rounds the call waits. */
const roundsMax = 3;
const roundsAgainMs = 1_000;

/**
 * Takes the slots of one call.
 *
 * @param isNext it has waited, and may be before others that wait
 * @throws {UnavailableError}
 */
export async function callSlots(
  ports: CallSlotsPorts,
  request: Request,
  counted: readonly CountedLimit[],
  isNext: boolean,
): Promise<CallSlots | Refused> {
  const isBehind = (queue: string) => !isNext && ports.queues.areWaiting(queue);
  const isBusy = (queue: string) => isNext || ports.queues.areWaiting(queue);
  const entered: LimitSlot[] = [];
  let hasAll = false;
  try {
    const full = await enterAll(ports, request, counted, { isBehind, entered });
    if (full !== null) return full;
    const leased = await leaseAll(ports, request, counted, { isBehind, isBusy });
    if (leased !== null && 'why' in leased) return leased;
    hasAll = true;
    return { ...leased, slots: [...entered, ...(leased?.slots ?? [])] };
  } finally {
    if (!hasAll) leaveAll(ports.rooms, entered);
  }
}

/** Gives back the room of a call. */
export function leaveAll(rooms: Pick<RoomLeases, 'leave'>, slots: readonly LimitSlot[]): void {
  for (const slot of slots) if (slot.holder !== undefined) rooms.leave(slot, slot.holder);
}

/** Adds the room of the call to `entered`. Null: it has room everywhere. */
async function enterAll(
  { rooms, time, newHolder }: CallSlotsPorts,
  request: Request,
  counted: readonly CountedLimit[],
  to: { readonly isBehind: (queue: string) => boolean; readonly entered: LimitSlot[] },
): Promise<Refused | null> {
  for (const { limit, definedAtOnce, name, queue } of counted) {
    if (limit.atOnce === null) continue;
    const holder = newHolder();
    const room = await rooms.enter({
      ...{ name: callsItemName(name), max: limit.atOnce, isBehind: to.isBehind(queue) },
      definedMax: definedAtOnce ?? limit.atOnce,
      ...{ holder, until: time.latest(request.completeBy) },
    });
    if (room === null) {
      const freeAt = time.now() + askAgainMs;
      // Then the room of a call that began as this one comes, and whose agent is silent, is free.
      const askAt = time.now() + request.completeWithinMs + graceMs;
      return { queue, why: { kind: 'full', freeAt, askAt, isGuess: true } };
    }
    to.entered.push({ ...room, holder });
  }
  return null;
}

/** A rate of a call, and the queue of those that wait for it. */
interface OwnRate {
  readonly rate: LeasedRate;
  readonly queue: string;
}

/** What the agent needs to know of a rate for further calls of the attempt. */
const slotOf = ({ rate: { name, everyMs, burst } }: OwnRate): LimitSlot => ({
  ...{ name, everyMs },
  ...(burst > 1 && { burst }),
});

/** A slot of each rate, at one instant; null: there is no rate. */
async function leaseAll(
  { rates, time }: CallSlotsPorts,
  { completeWithinMs }: Request,
  counted: readonly CountedLimit[],
  { isBehind, isBusy }: Record<'isBehind' | 'isBusy', (queue: string) => boolean>,
): Promise<CallSlots | Refused | null> {
  const own = counted.flatMap(({ limit: { rate }, name, queue }): OwnRate[] => {
    if (rate === null) return [];
    const everyMs = rate.per / rate.count;
    return [{ rate: { name: rateItemName(name), everyMs, burst: rate.burst }, queue }];
  });
  const [first] = own;
  if (first === undefined) return null;
  const nowMs = time.now();
  const mostMs = completeWithinMs * horizon.mostPart;
  const partMs = Math.min(horizon.maxMs, completeWithinMs * horizon.part);
  const horizonMs = Math.min(Math.max(horizon.minMs, partMs), mostMs);
  const end = nowMs + horizonMs;
  const wantOf = ({ rate, queue }: OwnRate, from: number, by: number): SlotWant => ({
    ...{ rate, from, by },
    // At the end of the horizon there is time for another rate to have a slot a little later.
    horizonMs: Math.min(Math.max(horizon.minMs, end - from), nowMs + mostMs - from),
    ...{ isBehind: isBehind(queue), isBusy: isBusy(queue) },
  });
  const wants = own.map(
    (one): WantOf =>
      (from, by) =>
        wantOf(one, from, by),
  );
  let from = nowMs;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    // A single rate gives its next slots by one write to all calls that ask now, and none of them asks for an instant.
    const known =
      own.length > 1 ? knownOf(rates, { first, own }, from, wantOf) : { from, queue: first.queue };
    if ('why' in known) return known;
    // The agent would give the attempt back, without its slot: where all slots are so far ahead, no call would ever begin (R16).
    if (known.from > end) {
      const freeAt = known.from - horizonMs;
      return { queue: known.queue, why: { kind: 'full', freeAt, askAt: freeAt } };
    }
    const answer = await leaseCommonSlot(rates, wants, known.from);
    if (answer.kind === 'slot') {
      const slots = own.map(slotOf);
      const { startAt, startBy } = answer;
      return { startAt: Math.ceil(startAt), startBy: Math.ceil(startBy), slots };
    }
    const { place, want, why } = answer;
    if (why.kind !== 'later')
      return { queue: own[place]?.queue ?? first.queue, why: refusalOf(why, want) };
    from = why.at;
  }
  const freeAt = time.now() + roundsAgainMs;
  return { queue: first.queue, why: { kind: 'full', freeAt, askAt: freeAt } };
}

/**
 * The first instant at which all rates may have a slot, with the queue of the last rate that has none before it; or one that has none.
 * As far as it is known without a write.
 */
function knownOf(
  rates: Pick<RateLeases, 'freeFrom' | 'refusal'>,
  { first, own }: { readonly first: OwnRate; readonly own: readonly OwnRate[] },
  from: number,
  wantOf: (of: OwnRate, from: number, by: number) => SlotWant,
): Refused | { readonly from: number; readonly queue: string } {
  let free = from;
  let { queue } = first;
  for (const one of own) {
    const want = wantOf(one, from, Number.POSITIVE_INFINITY);
    const why = rates.refusal(want);
    if (why !== null && why.kind !== 'later')
      return { queue: one.queue, why: refusalOf(why, want) };
    const next = rates.freeFrom(one.rate, free);
    if (next > free) queue = one.queue;
    free = Math.max(free, next);
  }
  return { from: free, queue };
}

function refusalOf(
  answer: Exclude<SlotRefusal, { kind: 'later' }>,
  { rate: { everyMs }, horizonMs }: SlotWant,
): QueueRefusal {
  if (answer.kind === 'behind') return answer;
  const { freeAt } = answer;
  // Several slots are leased, so replies come that wake those that wait, and after the last of them a slot is free.
  const wakesByReplies = 2 * everyMs <= horizonMs;
  return { kind: 'full', freeAt, askAt: wakesByReplies ? Number.POSITIVE_INFINITY : freeAt };
}
