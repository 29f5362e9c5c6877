/** One slot of several rates: the call begins at an instant at which all of them let it begin. */
import type { SlotRefusal, SlotWant } from './rate-item.ts';
import type { RateLeases } from './rate-leases.ts';
import type { Slot } from './spare-slots.ts';

/** What is wanted of one rate, if the rates before it let the call begin between these instants. */
export type WantOf = (from: number, by: number) => SlotWant;

/** The slot, or the rate that has none, by its place, with what was wanted of it. */
export type CommonSlot =
  | ({ readonly kind: 'slot' } & Slot)
  | {
      readonly kind: 'refused';
      readonly place: number;
      readonly want: SlotWant;
      readonly why: SlotRefusal;
    };

/** Leases a slot of each rate, narrow ones first; if one of them has none in time, the others get theirs back. @throws {UnavailableError} */
export async function leaseCommonSlot(
  rates: Pick<RateLeases, 'lease' | 'giveBack'>,
  wants: readonly WantOf[],
  from: number,
): Promise<CommonSlot> {
  let [startAt, startBy] = [from, Number.POSITIVE_INFINITY];
  const leased: (Slot & { readonly name: string })[] = [];
  let hasAll = false;
  try {
    for (const [place, wantOf] of wants.entries()) {
      const want = wantOf(startAt, startBy);
      const answer = await rates.lease(want);
      if (answer.kind === 'slot') leased.push({ ...answer, name: want.rate.name });
      if (answer.kind !== 'slot' || answer.startAt > startBy) {
        const why = answer.kind === 'slot' ? later(answer) : answer;
        return { kind: 'refused', place, want, why };
      }
      startAt = answer.startAt;
      startBy = Math.min(startBy, answer.startBy);
    }
    hasAll = true;
    return { kind: 'slot', startAt, startBy };
  } finally {
    if (!hasAll) for (const slot of leased) rates.giveBack(slot.name, slot);
  }
}

const later = ({ startAt }: Slot): SlotRefusal => ({ kind: 'later', at: startAt });
