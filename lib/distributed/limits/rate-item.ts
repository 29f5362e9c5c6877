/** The item of a rate, with the instant of its next slot, as one instance knows it. */
import { clockToleranceMs } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import { type LimitItems, reserveAheadMs } from '#ports/limit-items.ts';
import type { RecentUse } from './recent-use.ts';
import { countIn, isApart, slotAfter, unreserved } from './reserved-slots.ts';
import { travelMs } from './spare-slots.ts';

/** A rate. */
export interface LeasedRate {
  /** Of its item. */
  readonly name: string;
  /** From one slot to the next, ms. */
  readonly everyMs: number;
  /** How many calls may begin together after a time without calls. */
  readonly burst: number;
  /** It may have changed since, as that of a request that is on its way. Default: it is the present one. */
  readonly mayBeFormer?: boolean;
}

/** Which slots of a rate are wanted. */
export interface SlotWant {
  readonly rate: LeasedRate;
  /** No slot before. Not before now; after now where another limit lets the call begin only then. */
  readonly from: number;
  /** No slot later, because of another limit; infinite: there is none. */
  readonly by: number;
  /** No slot later than so long after `from`. */
  readonly horizonMs: number;
  /** Calls of others, or this one, have waited for a slot: then slots are taken. */
  readonly isBusy: boolean;
  /** Others wait for a slot: this call gets one only if they did not take the last ones. */
  readonly isBehind: boolean;
}

/** Slots that were leased by one write. */
export interface Leased {
  readonly kind: 'leased';
  /** Their instants if all calls were evenly spaced. */
  readonly slots: readonly number[];
  readonly from: number;
  /** The slot after them, in the same way. */
  readonly next: number;
  /** Those before this instant begin when they arrive: no call was before them. */
  readonly freshBefore: number;
}

/** `full`: none is free before `freeAt`. `behind`: those that wait get the next ones. `later`: the next one is after `by`. */
export type SlotRefusal =
  | { readonly kind: 'full'; readonly freeAt: number }
  | { readonly kind: 'behind' }
  | { readonly kind: 'later'; readonly at: number };

/** See above. */
export interface RateItem {
  /** For so many calls, or some of them. @throws {UnavailableError} */
  lease(want: SlotWant, count: number): Promise<Leased | SlotRefusal>;
  /** Why it gives no slot, as far as it is known without a write. */
  refusal(want: SlotWant): SlotRefusal | null;
  /** The earliest instant from this one on that may be free, as far as it is known. */
  freeFrom(rate: LeasedRate, from: number): number;
  /** Enough slots are leased, as far as the instance knows: more calls would be refused soon. */
  isWellUsed(): boolean;
}

/**
 * A call without others before it begins when its request arrives, within this time, ms: most requests arrive earlier. The next
 * slot comes after it.
 */
export const arrivalMs = 250;
/** An item is kept for so long after its last slot, ms. */
const keepMs = 24 * 60 * 60_000;
/** Another instance may move the instant between two writes; after so many writes the call waits. */
const writesMax = 4;
/** Slots that one write leases, at most. */
const slotsMax = 100;
/**
 * An instance leases slots for its next calls as well, so that a high rate costs few writes: for as many as very probably come
 * while the slots are ahead. With m calls expected, the number is m less so many times its standard deviation.
 */
const deviations = 1.5;
/**
 * An instance that was refused asks again when slots for this part of the horizon are free, or two of a slow rate: others wait as
 * well, and each write costs. Slots for twice the time of a request on its way stay leased meanwhile.
 */
const pause = { part: 0.25, slots: 2, leftMs: 2 * travelMs };

/** Slots for this part of the horizon are enough. */
const enoughPart = 0.75;

/** So many instants are reserved at most, as far as an instance knows: the item is read and written with every slot. */
const reservedMax = 250;

/** What the instance knows. */
interface Known {
  /** The instant of the next slot. */
  readonly next: number;
  /** Instants after it that have a call, but for those whose slot is over. */
  readonly reserved: readonly number[];
  /** How far ahead the calls were whose slots were leased last, ms. */
  readonly leadMs: number;
  /** Before this instant, it would be refused. */
  readonly askAt: number;
  readonly isWellUsed: boolean;
}

const nothing: Known = { next: 0, reserved: [], leadMs: 0, askAt: 0, isWellUsed: false };

/** @param use of the rate by the calls of the instance */
export function rateItem(
  items: LimitItems,
  name: string,
  use: RecentUse,
  clock: Pick<Clock, 'now'>,
): RateItem {
  let known = nothing;

  /** Moves the instant for as many calls as there is time for. */
  async function move(want: SlotWant, count: number): Promise<Leased | null> {
    const { from, by, rate } = want;
    const taken = slotsToTake(known, want, count, use);
    const byMs = taken * rate.everyMs;
    const before = Math.min(beforeOf(want), by + 1);
    const { isMoved, at, reserved } = await items.advance(name, {
      ...{ kind: 'move', byMs, from, before, keepUntil: before + byMs + keepMs },
    });
    if (at === null) {
      known = { ...nothing, reserved };
      return null;
    }
    known = knownAfter(want, { at, byMs: isMoved ? byMs : 0, reserved, nowMs: clock.now() });
    if (!isMoved) return null;
    return leasedOf({ first: at, taken, from, freshBefore: at }, rate, reserved);
  }

  /** Begins with a call that comes after a time without any. */
  async function beginAnew(want: SlotWant, count: number): Promise<Leased | SlotRefusal | null> {
    const { from, rate } = want;
    const slots = slotsAnew(known, want, count);
    if ('kind' in slots) return slots;
    const to = slots.first + slots.taken * rate.everyMs;
    const { isMoved, at, reserved } = await items.advance(name, {
      ...{ kind: 'restart', to, from, after: latestOf(want), keepUntil: to + keepMs },
    });
    known = knownAnew(want, { next: at ?? 0, reserved, nowMs: clock.now() });
    return isMoved ? leasedAnew(want, slots, reserved) : null;
  }

  /** Takes one slot that is ahead of the next one, and leaves those between for others. */
  async function reserve(want: SlotWant): Promise<Leased | SlotRefusal | null> {
    const { from, by, rate } = want;
    const nowMs = clock.now();
    const at = unreserved(known.reserved, from, rate.everyMs);
    if (at > by) return { kind: 'later', at };
    const ahead = known.reserved.filter((one) => one > nowMs).length;
    if (at > beforeOf(want) || at > nowMs + reserveAheadMs || ahead >= reservedMax)
      return { kind: 'full', freeAt: nowMs + rate.everyMs };
    const answer = await items.advance(name, {
      ...{ kind: 'reserve', reserved: at, nowMs, after: latestOf(want), keepUntil: at + keepMs },
    });
    const reserved = answer.isMoved ? [...answer.reserved, at] : answer.reserved;
    const next = answer.at ?? 0;
    known = { ...known, next, reserved: notOver(reserved, nowMs, rate), askAt: 0 };
    // Another instance reserved an instant near it, which this one did not know: this one stays without a call.
    if (!answer.isMoved || !isApart(at, answer.reserved, rate.everyMs)) return null;
    return { kind: 'leased', slots: [at], from, next: at + rate.everyMs, freshBefore: at };
  }

  return {
    isWellUsed: () => known.isWellUsed,
    refusal: (want) => refusalOf(known, want),
    freeFrom: (rate, from) => freeFrom(known, rate, from),
    async lease(want, count) {
      const { from, isBehind, rate } = want;
      let { isBusy } = want;
      for (let writes = 0; writes < writesMax; writes += 1) {
        const refused = refusalOf(known, want);
        if (refused !== null) return refused;
        const isLater = from > clock.now();
        // What is known may be old: while calls wait, others have taken slots since.
        const isMove = isAhead(known, want) || (isBusy && !isBehind && !isLater);
        const leased = isMove
          ? await move(want, count)
          : await (isLater ? reserve(want) : beginAnew(want, count));
        if (leased !== null) return leased;
        isBusy = false;
      }
      return { kind: 'full', freeAt: from + rate.everyMs };
    },
  };
}

/** Of these reserved instants, those whose slot is not over. */
const notOver = (reserved: readonly number[], nowMs: number, { everyMs }: LeasedRate) =>
  reserved.filter((one) => one + everyMs > nowMs);

/** Near reserved instants there was no time without calls: then no burst begins, and each call has the time of its own slot. */
function isQuiet(
  { from, rate: { everyMs, burst } }: SlotWant,
  reserved: readonly number[],
  first: number,
): boolean {
  const near = from - burst * everyMs;
  return countIn(reserved, near, first - near + burst * everyMs) === 0;
}

/** Slots that follow each other. */
interface SlotRow {
  readonly first: number;
  readonly taken: number;
}

/** The slots of an item that begins anew; none where the slot of a reserved instant lasts until after the horizon. */
function slotsAnew({ reserved }: Known, want: SlotWant, count: number): SlotRow | SlotRefusal {
  const { from, horizonMs } = want;
  const { everyMs, burst } = want.rate;
  const alone = from + Math.max(0, arrivalMs - everyMs / 2);
  const first = slotAfter(reserved, alone, everyMs);
  const before = beforeOf(want);
  if (first > alone && first >= before) return { kind: 'full', freeAt: first - (before - from) };
  const wanted = count + countIn(reserved, first, count * everyMs);
  return { first, taken: Math.min(wanted, Math.max(burst, Math.floor(horizonMs / everyMs))) };
}

function leasedAnew(
  want: SlotWant,
  { first, taken }: SlotRow,
  reserved: readonly number[],
): Leased | null {
  const { from, rate } = want;
  const { everyMs, burst } = rate;
  const isFresh = isQuiet(want, reserved, first);
  const freshBefore = isFresh ? first + (burst - 0.5) * everyMs : first;
  // Another instance reserved an instant just before, which this one did not know: the first slot is that of its call.
  const isReserved = slotAfter(reserved, first, everyMs) > first;
  const row = isReserved ? { first: first + everyMs, taken: taken - 1 } : { first, taken };
  return leasedOf({ ...row, from, freshBefore }, rate, reserved);
}

/** How many slots a write leases for so many calls, and for those that will come. */
function slotsToTake(
  { next, leadMs, reserved }: Known,
  want: SlotWant,
  count: number,
  use: RecentUse,
): number {
  const { from, by } = want;
  const { everyMs } = want.rate;
  // The next calls that another limit lets begin at instants of their own do not begin at these slots.
  const mean = by < Number.POSITIVE_INFINITY ? 0 : use.expected(leadMs - travelMs);
  const calls = count + Math.max(0, Math.floor(mean - deviations * Math.sqrt(mean)));
  const begin = Math.max(from, next);
  const free = Math.max(1, Math.ceil((beforeOf(want) - begin) / everyMs));
  return Math.min(calls + countIn(reserved, begin, calls * everyMs), free, slotsMax);
}

/** @param byMs by how much a write moved the instant from `at` on; 0: it did not */
function knownAfter(
  want: SlotWant,
  {
    at,
    byMs,
    nowMs,
    ...answer
  }: { at: number; byMs: number; reserved: readonly number[]; nowMs: number },
): Known {
  const reserved = notOver(answer.reserved, nowMs, want.rate);
  const horizonMs = beforeOf(want) - want.from;
  const next = at + byMs;
  const pauseMs = byMs > 0 || at < beforeOf(want) ? 0 : pauseMsOf(want);
  const isWellUsed = at - nowMs >= enoughPart * horizonMs;
  // Calls of a burst begin now, so no slots are leased for others that come before them.
  const leadMs = Math.max(0, at - (want.rate.burst - 1) * want.rate.everyMs - nowMs);
  return { next, reserved, leadMs, askAt: next - horizonMs + pauseMs, isWellUsed };
}

/** After an item began anew. */
const knownAnew = (
  want: SlotWant,
  { next, reserved, nowMs }: { next: number; reserved: readonly number[]; nowMs: number },
): Known => ({
  ...{ ...nothing, next, reserved: notOver(reserved, nowMs, want.rate) },
  askAt: next - (beforeOf(want) - want.from),
});

const isAhead = ({ next }: Known, want: SlotWant) => next >= want.from && next <= latestOf(want);

function refusalOf(known: Known, want: SlotWant): SlotRefusal | null {
  if (!isAhead(known, want)) return null;
  if (known.askAt >= want.from) return { kind: 'full', freeAt: known.askAt };
  if (want.isBehind) return { kind: 'behind' };
  return known.next > want.by ? { kind: 'later', at: known.next } : null;
}

function freeFrom({ next, reserved }: Known, { everyMs }: LeasedRate, from: number): number {
  const isNext = next >= from && next <= from + reserveAheadMs;
  const first = isNext ? next : slotAfter(reserved, from, everyMs);
  const isFree = countIn(reserved, first, everyMs) === 0;
  return isFree ? first : unreserved(reserved, first, everyMs);
}

/** Slots of which each one that a reserved instant falls into is that of its call. */
function leasedOf(
  { first, taken, from, freshBefore }: Omit<Leased, 'kind' | 'slots' | 'next'> & SlotRow,
  { everyMs }: LeasedRate,
  reserved: readonly number[],
): Leased | null {
  const all = Array.from({ length: taken }, (_, place) => first + place * everyMs);
  const slots = all.filter((slot) => countIn(reserved, slot, everyMs) === 0);
  if (slots.length === 0) return null;
  return { kind: 'leased', slots, from, next: first + taken * everyMs, freshBefore };
}

/** The next slot must be before this instant. */
const beforeOf = ({ rate: { everyMs, burst }, from, horizonMs }: SlotWant) =>
  from + horizonMs + (burst - 1) * everyMs;

const pauseMsOf = ({ rate: { everyMs }, horizonMs }: SlotWant) =>
  Math.min(
    Math.max(pause.part * horizonMs, pause.slots * everyMs),
    Math.max(0, horizonMs - pause.leftMs),
  );

/** No correct clock has stored a later instant. */
const latestOf = ({ rate, from, horizonMs }: SlotWant) =>
  from + horizonMs + farthestMs(rate) + clockToleranceMs;

/**
 * How far after its horizon a rate may have its next slot, ms: after the longest burst and the slots of one write. Not after the
 * present burst, because operators change it: the slots of a longer one that was used would be given again. A rate that was
 * changed may have had any distance. Neither the burst nor, then, the slots of a write take longer than the interval of a rate.
 */
function farthestMs({ everyMs, mayBeFormer = false }: LeasedRate): number {
  const { limitCallsMax, limitPerMaxMs } = limits;
  if (mayBeFormer) return 2 * limitPerMaxMs;
  return Math.min(limitCallsMax * everyMs, limitPerMaxMs) + slotsMax * everyMs;
}
