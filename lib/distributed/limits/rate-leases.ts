/**
 * Slots of rates that all instances share (the generic cell rate algorithm, ITU-T I.371). The item of a rate has the instant of
 * its next slot. An instance moves it by one write for all of its calls that want a slot at the same time, and sends each call
 * with its slot, in which the agent begins it. So the calls are evenly spaced, however long requests are on their way, and
 * however many instances there are.
 *
 * Slots are leased at most a horizon ahead: the rest of the calls wait where classes and tenants have their shares (R24).
 */

import { clockToleranceMs } from '#core/decide/due.ts';
import { slotSlackMs } from '#core/flow/rate-slots.ts';
import type { Clock } from '#ports/clock.ts';
import type { LimitItems } from '#ports/limit-items.ts';

/** A rate. */
export interface LeasedRate {
  /** Of its item. */
  readonly name: string;
  /** From one slot to the next, ms. */
  readonly everyMs: number;
  /** How many calls may begin together after a time without calls. */
  readonly burst: number;
}

/** See {@link RateLeases}. */
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

/** When a call may begin. */
export interface Slot {
  readonly startAt: number;
  readonly startBy: number;
}

/** `full`: none is free before `freeAt`. `behind`: those that wait get the next ones. */
export type SlotAnswer =
  | ({ readonly kind: 'slot' } & Slot)
  | { readonly kind: 'full'; readonly freeAt: number }
  | { readonly kind: 'behind' };

/** See above. */
export interface RateLeases {
  /** @throws {UnavailableError} */
  lease(want: SlotWant): Promise<SlotAnswer>;
  /** The call with this slot is not made: another one gets it. */
  giveBack(name: string, slot: Slot): void;
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
/** Names whose instants are remembered. */
const knownMax = 10_000;
/** A slot that was given back is used by a call that has so much time to reach its agent, ms. */
const spareMinMs = 100;
/** Slots that one write leases, at most. */
const slotsMax = 100;

/** How late a call may begin: so few calls more than the rate begin in an interval as if it were on time. */
export const lateMs = (everyMs: number) => Math.max(slotSlackMs, everyMs / 2);

/** Calls that want slots of one rate at the same time. */
interface Batch {
  readonly want: SlotWant;
  readonly answers: Promise<readonly SlotAnswer[]>;
  count: number;
}

/** Makes the leases of one instance. */
export function rateLeases(items: LimitItems, clock: Pick<Clock, 'now'>): RateLeases {
  /** The instant of the next slot, as this instance knows it. */
  const known = new Map<string, number>();
  const batches = new Map<string, Batch>();
  /** Slots that are leased, and that no call has: the earliest first. */
  const spares = new Map<string, readonly Slot[]>();

  function remember(name: string, at: number | null): void {
    known.delete(name);
    if (at !== null) known.set(name, at);
    const [oldest] = known.keys();
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
  }

  function spareOf(name: string, from: number): Slot | undefined {
    const own = (spares.get(name) ?? []).filter(({ startAt }) => startAt >= from + spareMinMs);
    const first = own.shift();
    if (own.length > 0) spares.set(name, own);
    else spares.delete(name);
    return first;
  }

  /** Moves the instant for as many calls as there is time for. */
  async function move(want: SlotWant, count: number): Promise<Leased | 'refused'> {
    const { rate, from, horizonMs } = want;
    const { name, everyMs, burst } = rate;
    const before = from + horizonMs + (burst - 1) * everyMs;
    const next = known.get(name) ?? from;
    const taken = Math.min(
      count,
      Math.max(1, Math.ceil((before - Math.max(from, next)) / everyMs)),
    );
    const byMs = taken * everyMs;
    const { isMoved, at } = await items.advance(name, {
      ...{ kind: 'move', byMs, from, before, keepUntil: before + byMs + keepMs },
    });
    remember(name, isMoved && at !== null ? at + byMs : at);
    return isMoved && at !== null ? { first: at, from, taken, isFresh: false } : 'refused';
  }

  async function restart({ rate, from, horizonMs }: SlotWant, count: number) {
    const { name, everyMs, burst } = rate;
    const taken = Math.min(count, Math.max(burst, Math.floor(horizonMs / everyMs)));
    const first = from + Math.max(0, arrivalMs - everyMs / 2);
    const to = first + taken * everyMs;
    const after = latestOf(rate, from, horizonMs);
    const { isMoved, at } = await items.advance(name, {
      ...{ kind: 'restart', to, from, after, keepUntil: to + keepMs },
    });
    remember(name, at);
    return isMoved ? { first, from, taken, isFresh: true } : ('refused' as const);
  }

  async function leaseAll(want: SlotWant, count: number): Promise<readonly SlotAnswer[]> {
    const { rate, from, horizonMs } = want;
    const { name, everyMs, burst } = rate;
    const aheadMs = (burst - 1) * everyMs;
    const refuse = (answer: SlotAnswer) => Array.from({ length: count }, () => answer);
    let isBusy = want.isBusy;
    for (let writes = 0; writes < writesMax; writes += 1) {
      const next = known.get(name);
      const isAhead = next !== undefined && next >= from && next <= latestOf(rate, from, horizonMs);
      if (isAhead && next >= from + horizonMs + aheadMs) {
        return refuse(full(next - horizonMs - aheadMs, clock.now()));
      }
      if (isAhead && want.isBehind) return refuse(behind);
      // What is known may be old: while calls wait, others have taken slots since.
      const leased =
        isAhead || (isBusy && !want.isBehind)
          ? await move(want, count)
          : await restart(want, count);
      isBusy = false;
      if (leased !== 'refused') return answersOf(rate, leased, count);
    }
    return refuse(full(clock.now() + everyMs, clock.now()));
  }

  function giveBack(name: string, { startAt, startBy }: Slot): void {
    const own = spares.get(name) ?? [];
    spares.delete(name);
    spares.set(
      name,
      [...own, { startAt, startBy }].toSorted((a, b) => a.startAt - b.startAt),
    );
    const [oldest] = spares.keys();
    if (spares.size > knownMax && oldest !== undefined) spares.delete(oldest);
  }

  return {
    giveBack,
    async lease(want) {
      const { rate, from, isBehind } = want;
      const spare = isBehind ? undefined : spareOf(rate.name, from);
      if (spare !== undefined) return { kind: 'slot', ...spare };
      // Calls behind others are rare, and those after another limit have instants of their own.
      const key = `${rate.name} ${from} ${isBehind}`;
      const batch = batches.get(key) ?? begin(key, want);
      const place = batch.count;
      batch.count += 1;
      return (await batch.answers)[place] ?? full(clock.now() + rate.everyMs, clock.now());
    },
  };

  function begin(key: string, want: SlotWant): Batch {
    const answers = Promise.resolve().then(() => {
      batches.delete(key);
      return leaseAll(want, batch.count);
    });
    const batch: Batch = { want, answers, count: 0 };
    batches.set(key, batch);
    return batch;
  }
}

/** No correct clock has stored a later instant. */
const latestOf = ({ everyMs, burst }: LeasedRate, from: number, horizonMs: number) =>
  from + horizonMs + (burst - 1 + slotsMax) * everyMs + clockToleranceMs;

/** Slots that were leased by one write. `first`: the instant of the first one. `isFresh`: no call was before it. */
interface Leased {
  readonly first: number;
  readonly from: number;
  readonly taken: number;
  readonly isFresh: boolean;
}

function answersOf(rate: LeasedRate, leased: Leased, count: number): readonly SlotAnswer[] {
  const { everyMs, burst } = rate;
  const { first, from, taken, isFresh } = leased;
  return Array.from({ length: count }, (_, place): SlotAnswer => {
    if (place >= taken) return full(first + taken * everyMs, from);
    const startAt = Math.max(from, first + (place - (burst - 1)) * everyMs);
    // The first calls after a time without any begin when they arrive.
    if (isFresh && place < burst) {
      return { kind: 'slot', startAt: from, startBy: first + lateMs(everyMs) };
    }
    return { kind: 'slot', startAt, startBy: startAt + lateMs(everyMs) };
  });
}

const behind = { kind: 'behind' } as const;
const full = (freeAt: number, nowMs: number): SlotAnswer => ({
  kind: 'full',
  freeAt: Math.max(nowMs + 1, freeAt),
});
