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
  type Refusal,
  rateItem,
  type SlotWant,
} from './rate-item.ts';
import { recentUse } from './recent-use.ts';
import { type Slot, spareSlots } from './spare-slots.ts';

/** A slot, or why there is none. */
export type SlotAnswer = ({ readonly kind: 'slot' } & Slot) | Refusal;

/** See above. */
export interface RateLeases {
  /** @throws {UnavailableError} */
  lease(want: SlotWant): Promise<SlotAnswer>;
  /** The call with this slot is not made: another one gets it. */
  giveBack(name: string, slot: Slot): void;
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
    return { use, spares: spareSlots(clock), item: rateItem(items, name, use) };
  }

  function rateOf(name: string) {
    const own = rates.get(name) ?? ofRate(name);
    rates.set(name, own);
    return own;
  }

  /** Slots for so many calls; those that are leased for the next calls are kept. */
  async function leaseAll(want: SlotWant, count: number): Promise<readonly SlotAnswer[]> {
    const { use, spares, item } = rateOf(want.rate.name);
    const leased = await item.lease(want, count);
    if (leased.kind !== 'leased') {
      const answer = leased.kind === 'full' ? full(leased.freeAt, clock.now()) : leased;
      return Array.from({ length: count }, () => answer);
    }
    use.add(Math.min(count, leased.taken));
    const slots = slotsOf(want.rate, leased);
    spares.add(slots.slice(count));
    const none = full(leased.first + leased.taken * want.rate.everyMs, leased.from);
    return Array.from({ length: count }, (_, place) => {
      const slot = slots[place];
      return slot === undefined ? none : { kind: 'slot', ...slot };
    });
  }

  function begin(key: string, want: SlotWant): Batch {
    const answers = Promise.resolve().then(() => {
      batches.delete(key);
      return leaseAll(want, batch.count);
    });
    const batch: Batch = { answers, count: 0 };
    batches.set(key, batch);
    return batch;
  }

  return {
    giveBack: (name, { startAt, startBy }) => rateOf(name).spares.add([{ startAt, startBy }]),
    async lease(want) {
      const { rate, from, isBehind } = want;
      const { use, spares } = rateOf(rate.name);
      const spare = isBehind ? undefined : spares.take(from);
      if (spare !== undefined) {
        use.add(1);
        return { kind: 'slot', ...spare };
      }
      // Calls behind others are rare, and those after another limit have instants of their own.
      const key = `${rate.name} ${from} ${isBehind}`;
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

const full = (freeAt: number, nowMs: number): Refusal => ({
  kind: 'full',
  freeAt: Math.max(nowMs + 1, freeAt),
});
