/**
 * Slots of rates that all instances share (the generic cell rate algorithm, ITU-T I.371). The item of a rate has the instant of
 * its next slot. An instance moves it by one write for all of its calls that want a slot at the same time, and sends each call
 * with its slot, in which the agent begins it. So the calls are evenly spaced, however long requests are on their way, and
 * however many instances there are.
 *
 * Slots are leased at most a horizon ahead: the rest of the calls wait where classes and tenants have their shares (R24).
 */
import { slotSlackMs } from '#core/flow/rate-slots.ts';
import type { Clock } from '#ports/clock.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import { recentMap } from '../recent-map.ts';
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
  /** @throws {UnavailableError} */
  lease(want: SlotWant): Promise<SlotAnswer>;
  /** The call with this slot is not made: another one gets it. */
  giveBack(name: string, slot: Slot): void;
  /** See {@link RateItem}. */
  isWellUsed(name: string): boolean;
}

/** Rates that are remembered: of a limit with keys there may be very many. */
const ratesMax = 10_000;

/** How late a call may begin: so few calls more than the rate begin in an interval as if it were on time. */
export const lateMs = (everyMs: number) => Math.max(slotSlackMs, everyMs / 2);

/** Calls that want slots of one rate at the same time. */
interface Batch {
  readonly answers: Promise<readonly SlotAnswer[]>;
  count: number;
}

/** Makes the leases of one instance. */
export function rateLeases(items: LimitItems, clock: Pick<Clock, 'now'>): RateLeases {
  const rates = recentMap<ReturnType<typeof ofRate>>(ratesMax);
  const batches = new Map<string, Batch>();

  function ofRate(name: string) {
    const use = recentUse(clock);
    const item = rateItem(items, name, use);
    return { use, spares: spareSlots(clock), item, written: Promise.resolve() };
  }

  function rateOf(name: string) {
    const own = rates.get(name) ?? ofRate(name);
    rates.set(name, own);
    return own;
  }

  function spareOf({ rate: { name }, from, isBehind }: SlotWant): SlotAnswer | undefined {
    const { use, spares } = rateOf(name);
    const slot = isBehind ? undefined : spares.take(from);
    if (slot === undefined) return undefined;
    use.add(1);
    return { kind: 'slot', ...slot };
  }

  /** Slots for so many calls; those that are leased for the next calls are kept. */
  async function leaseAll(want: SlotWant, count: number): Promise<readonly SlotAnswer[]> {
    const answers: SlotAnswer[] = [];
    for (let spare = spareOf(want); spare !== undefined; spare = spareOf(want)) {
      answers.push(spare);
      if (answers.length === count) return answers;
    }
    const { use, spares, item } = rateOf(want.rate.name);
    const missing = count - answers.length;
    const leased = await item.lease(want, missing);
    const slots = leased.kind === 'leased' ? slotsOf(want.rate, leased) : [];
    use.add(Math.min(missing, slots.length));
    spares.add(slots.slice(missing));
    answers.push(...slots.slice(0, missing).map((slot) => ({ kind: 'slot', ...slot }) as const));
    const none = refusalOf(want.rate, leased, clock.now());
    return [...answers, ...Array.from({ length: count - answers.length }, () => none)];
  }

  function begin(key: string, want: SlotWant): Batch {
    const rate = rateOf(want.rate.name);
    // What the write before says may be enough to know that there is no slot.
    const answers = rate.written.then(() => {
      batches.delete(key);
      return leaseAll({ ...want, from: Math.max(want.from, clock.now()) }, batch.count);
    });
    rate.written = answers.then(
      () => {},
      () => {},
    );
    const batch: Batch = { answers, count: 0 };
    batches.set(key, batch);
    return batch;
  }

  return {
    isWellUsed: (name) => rateOf(name).item.isWellUsed(),
    giveBack: (name, { startAt, startBy }) => rateOf(name).spares.add([{ startAt, startBy }]),
    async lease(want) {
      const { rate, from, isBehind } = want;
      const spare = spareOf(want);
      if (spare !== undefined) return spare;
      // Calls behind others are rare, and those after another limit have instants of their own.
      const key = `${rate.name} ${from > clock.now() ? from : 'now'} ${isBehind}`;
      const batch = batches.get(key) ?? begin(key, want);
      const place = batch.count;
      batch.count += 1;
      return (await batch.answers)[place] ?? full(clock.now() + rate.everyMs, clock.now());
    },
  };
}

function slotsOf(
  { everyMs, burst }: LeasedRate,
  { first, from, taken, isFresh }: Leased,
): readonly Slot[] {
  return Array.from({ length: taken }, (_, place) => {
    // The first calls after a time without any begin when they arrive.
    if (isFresh && place < burst) return { startAt: from, startBy: first + lateMs(everyMs) };
    const startAt = Math.max(from, first + (place - (burst - 1)) * everyMs);
    return { startAt, startBy: startAt + lateMs(everyMs) };
  });
}

function refusalOf(
  { everyMs }: LeasedRate,
  leased: Leased | SlotRefusal,
  nowMs: number,
): SlotRefusal {
  if (leased.kind === 'behind') return leased;
  if (leased.kind === 'full') return full(leased.freeAt, nowMs);
  return full(leased.first + leased.taken * everyMs, leased.from);
}

const full = (freeAt: number, nowMs: number): SlotRefusal => ({
  kind: 'full',
  freeAt: Math.max(nowMs + 1, freeAt),
});
