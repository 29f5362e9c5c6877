/** The item of a rate, with the instant of its next slot, as one instance knows it. */
import { clockToleranceMs } from '#core/decide/due.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import type { RecentUse } from './recent-use.ts';
import { travelMs } from './spare-slots.ts';

/** A rate. */
export interface LeasedRate {
  /** Of its item. */
  readonly name: string;
  /** From one slot to the next, ms. */
  readonly everyMs: number;
  /** How many calls may begin together after a time without calls. */
  readonly burst: number;
}

/** Which slots of a rate are wanted. */
export interface SlotWant {
  readonly rate: LeasedRate;
  /** No slot before. Not before now. */
  readonly from: number;
  /** No slot later than so long after `from`. */
  readonly horizonMs: number;
  /** Calls of others, or this one, have waited for a slot: then slots are taken. */
  readonly isBusy: boolean;
  /** Others wait for a slot: this call gets one only if they did not take the last ones. */
  readonly isBehind: boolean;
}

/** Slots that were leased by one write. `first`: the instant of the first one. `isFresh`: no call was before it. */
export interface Leased {
  readonly kind: 'leased';
  readonly first: number;
  readonly from: number;
  readonly taken: number;
  readonly isFresh: boolean;
}

/** `full`: none is free before `freeAt`. `behind`: those that wait get the next ones. */
export type SlotRefusal =
  | { readonly kind: 'full'; readonly freeAt: number }
  | { readonly kind: 'behind' };

/** See above. */
export interface RateItem {
  /** For so many calls, or some of them. @throws {UnavailableError} */
  lease(want: SlotWant, count: number): Promise<Leased | SlotRefusal>;
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

/** What the instance knows. */
interface Known {
  /** The instant of the next slot. */
  readonly next: number;
  /** How far ahead the slots were that were leased last, ms. */
  readonly leadMs: number;
  /** Before this instant, it would be refused. */
  readonly askAt: number;
  readonly isWellUsed: boolean;
}

const nothing: Known = { next: 0, leadMs: 0, askAt: 0, isWellUsed: false };

/** @param use of the rate by the calls of the instance */
export function rateItem(items: LimitItems, name: string, use: RecentUse): RateItem {
  let known = nothing;

  /** Moves the instant for as many calls as there is time for. */
  async function move(want: SlotWant, count: number): Promise<Leased | null> {
    const { from } = want;
    const { everyMs } = want.rate;
    const before = beforeOf(want);
    const mean = use.expected(known.leadMs - travelMs);
    const more = Math.max(0, Math.floor(mean - deviations * Math.sqrt(mean)));
    const free = Math.max(1, Math.ceil((before - Math.max(from, known.next)) / everyMs));
    const taken = Math.min(count + more, free, slotsMax);
    const byMs = taken * everyMs;
    const { isMoved, at } = await items.advance(name, {
      ...{ kind: 'move', byMs, from, before, keepUntil: before + byMs + keepMs },
    });
    if (at === null) {
      known = nothing;
      return null;
    }
    const [next, pauseMs] = isMoved ? [at + byMs, 0] : [at, pauseMsOf(want)];
    const leadMs = at - from;
    const isWellUsed = leadMs >= enoughPart * (before - from);
    known = { next, leadMs, askAt: next - (before - from) + pauseMs, isWellUsed };
    return isMoved ? { kind: 'leased', first: at, from, taken, isFresh: false } : null;
  }

  async function beginAnew(want: SlotWant, count: number): Promise<Leased | null> {
    const { from, horizonMs } = want;
    const { everyMs, burst } = want.rate;
    const taken = Math.min(count, Math.max(burst, Math.floor(horizonMs / everyMs)));
    const first = from + Math.max(0, arrivalMs - everyMs / 2);
    const to = first + taken * everyMs;
    const after = latestOf(want);
    const { isMoved, at } = await items.advance(name, {
      ...{ kind: 'restart', to, from, after, keepUntil: to + keepMs },
    });
    const next = at ?? 0;
    known = { ...nothing, next, askAt: next - (beforeOf(want) - from) };
    return isMoved ? { kind: 'leased', first, from, taken, isFresh: true } : null;
  }

  return {
    isWellUsed: () => known.isWellUsed,
    async lease(want, count) {
      const { from, isBehind, rate } = want;
      let { isBusy } = want;
      for (let writes = 0; writes < writesMax; writes += 1) {
        const { next, askAt } = known;
        const isAhead = next >= from && next <= latestOf(want);
        if (isAhead && askAt >= from) return { kind: 'full', freeAt: askAt };
        if (isAhead && isBehind) return { kind: 'behind' };
        // What is known may be old: while calls wait, others have taken slots since.
        const isMove = isAhead || (isBusy && !isBehind);
        const leased = isMove ? await move(want, count) : await beginAnew(want, count);
        if (leased !== null) return leased;
        isBusy = false;
      }
      return { kind: 'full', freeAt: from + rate.everyMs };
    },
  };
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
const latestOf = (want: SlotWant) =>
  beforeOf(want) + slotsMax * want.rate.everyMs + clockToleranceMs;
