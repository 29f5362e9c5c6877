/**
 * Slots of rates that all instances share (the generic cell rate algorithm, ITU-T I.371). The item of a rate has the instant of
 * its next slot. An instance moves it by one write for all of its calls that want a slot at the same time, and sends each call
 * with its slot, in which the agent begins it. So the calls are evenly spaced, however long requests are on their way, and
 * however many instances there are.
 *
 * Slots are leased at most a horizon ahead: the rest of the calls wait where classes and tenants have their shares (R24).
 */
import { slotSlackMs } from '#core/flow/rate-slots.ts';
import { recentMap } from '#core/model/recent-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import {
  type Leased,
  type LeasedRate,
  rateItem,
  type SlotRefusal,
  type SlotWant,
} from './rate-item.ts';
import { recentUse } from './recent-use.ts';
import { type Slot, spareSlots } from './spare-slots.ts';

/** A slot, or why there is none. */
export type SlotAnswer = ({ readonly kind: 'slot' } & Slot) | SlotRefusal;

/** See above. */
export interface RateLeases {
  /**
   * A slot for calls that may begin now may be later than their `by`, because they share a write.
   *
   * @throws {UnavailableError}
   */
  lease(want: SlotWant): Promise<SlotAnswer>;
  /** The call with this slot is not made: another one gets it. */
  giveBack(name: string, slot: Slot): void;
  /** See {@link RateItem}. */
  refusal(want: SlotWant): SlotRefusal | null;
  /** See {@link RateItem}. */
  freeFrom(rate: LeasedRate, from: number): number;
  /** See {@link RateItem}. */
  isWellUsed(name: string): boolean;
}

/** Rates that are remembered: of a limit with keys there may be very many. */
const ratesMax = 10_000;

/** How late a call may begin: so few calls more than the rate begin in an interval as if it were on time. */
export const lateMs = (everyMs: number) => Math.max(slotSlackMs, everyMs / 2);

/** Calls that want slots of one rate at the same time, and equally far ahead. */
interface Batch {
  readonly answers: Promise<readonly SlotAnswer[]>;
  count: number;
}

/** Makes the leases of one instance. */
export function rateLeases(items: LimitItems, clock: Pick<Clock, 'now'>): RateLeases {
  const rates = recentMap<OwnRate>(ratesMax);
  const batches = new Map<string, Batch>();

  function rateOf(name: string) {
    const own = rates.get(name) ?? ofRate(items, clock, name);
    rates.set(name, own);
    return own;
  }

  function begin(want: SlotWant, ended: () => void): Batch {
    const rate = rateOf(want.rate.name);
    // What the write before says may be enough to know that there is no slot.
    const answers = rate.written.then(() => {
      ended();
      const from = Math.max(want.from, clock.now());
      return leaseAll(rate, { ...want, from }, batch.count, clock.now);
    });
    rate.written = answers.then(
      () => {},
      () => {},
    );
    const batch: Batch = { answers, count: 0 };
    return batch;
  }

  function batchOf(want: SlotWant): Batch {
    // One after another limit has an instant of its own.
    if (want.from > clock.now()) return begin(want, () => {});
    // Calls behind others are rare, and most calls of an agent have the same time.
    const key = `${want.rate.name} ${want.isBehind} ${want.horizonMs}`;
    const anyEnd = { ...want, by: Number.POSITIVE_INFINITY };
    const batch = batches.get(key) ?? begin(anyEnd, () => batches.delete(key));
    batches.set(key, batch);
    return batch;
  }

  return {
    isWellUsed: (name) => rateOf(name).item.isWellUsed(),
    giveBack: (name, { startAt, startBy }) => rateOf(name).spares.add([{ startAt, startBy }]),
    refusal(want) {
      const { spares, item } = rateOf(want.rate.name);
      return spares.next(want.from) === undefined || want.isBehind ? item.refusal(want) : null;
    },
    freeFrom(rate, from) {
      const { spares, item } = rateOf(rate.name);
      return spares.next(from) ?? item.freeFrom(rate, from);
    },
    async lease(want) {
      const spare = spareOf(rateOf(want.rate.name), want);
      if (spare !== undefined) return spare;
      const batch = batchOf(want);
      const place = batch.count;
      batch.count += 1;
      const nowMs = clock.now();
      return (await batch.answers)[place] ?? full(nowMs + want.rate.everyMs, nowMs);
    },
  };
}

function ofRate(items: LimitItems, clock: Pick<Clock, 'now'>, name: string) {
  const use = recentUse(clock);
  const item = rateItem(items, name, use, clock);
  return { use, spares: spareSlots(clock), item, written: Promise.resolve() };
}

type OwnRate = ReturnType<typeof ofRate>;

function spareOf(
  { use, spares }: OwnRate,
  { from, by, horizonMs, isBehind }: SlotWant,
): SlotAnswer | undefined {
  const slot = isBehind ? undefined : spares.take(from, Math.min(by, from + horizonMs));
  if (slot === undefined) return undefined;
  use.add(1);
  return { kind: 'slot', ...slot };
}

/** Slots for so many calls; those that are leased for the next calls are kept. */
async function leaseAll(
  rate: OwnRate,
  want: SlotWant,
  count: number,
  nowMs: () => number,
): Promise<readonly SlotAnswer[]> {
  const answers: SlotAnswer[] = [];
  for (let spare = spareOf(rate, want); spare !== undefined; spare = spareOf(rate, want)) {
    answers.push(spare);
    if (answers.length === count) return answers;
  }
  const { use, spares, item } = rate;
  const missing = count - answers.length;
  const leased = await item.lease(want, missing);
  const all = leased.kind === 'leased' ? slotsOf(want.rate, leased) : [];
  // Slots of reserved instants have a call, so the one after them may come too late for another limit.
  const late = all.find(({ startAt }) => startAt > want.by);
  const slots = all.filter(({ startAt }) => startAt <= want.by).slice(0, missing);
  use.add(slots.length);
  spares.add(all.filter((slot) => !slots.includes(slot)));
  answers.push(...slots.map((slot) => ({ kind: 'slot', ...slot }) as const));
  const none: SlotRefusal =
    late === undefined ? refusalOf(leased, nowMs()) : { kind: 'later', at: late.startAt };
  return [...answers, ...Array.from({ length: count - answers.length }, () => none)];
}

function slotsOf(
  { everyMs, burst }: LeasedRate,
  { slots, from, freshBefore }: Leased,
): readonly Slot[] {
  return slots.map((slot) => {
    // The first calls after a time without any begin when they arrive.
    if (slot < freshBefore) return { startAt: from, startBy: (slots[0] ?? slot) + lateMs(everyMs) };
    const startAt = Math.max(from, slot - (burst - 1) * everyMs);
    return { startAt, startBy: startAt + lateMs(everyMs) };
  });
}

function refusalOf(leased: Leased | SlotRefusal, nowMs: number): SlotRefusal {
  if (leased.kind === 'leased') return full(leased.next, leased.from);
  return leased.kind === 'full' ? full(leased.freeAt, nowMs) : leased;
}

const full = (freeAt: number, nowMs: number): SlotRefusal => ({
  kind: 'full',
  freeAt: Math.max(nowMs + 1, freeAt),
});
