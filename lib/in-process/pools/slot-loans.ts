/** The slots of one agent that steps of its pools have until their orders are claimed. */
import type { WaitingStepsOptions } from '../waiting-steps.ts';

/** Options of {@link slotLoans}. */
export interface SlotLoansOptions {
  /** Whether a slot can be lent at all. */
  readonly mayLend: () => boolean;
  readonly admission: Pick<WaitingStepsOptions['circuit'], 'admits' | 'admitsAt' | 'unsent'>;
  /** A slot is free again. */
  readonly onReturn: () => void;
}

/** See {@link slotLoans}. */
export interface SlotLoans {
  size(): number;
  /** Whether the step had a slot, which it has taken now. */
  take(step: string): boolean;
  /**
   * Lends a slot to a step that waits for any member of a pool; false when there is none, or no call is admitted.
   *
   * @param onTake called when the step has taken the slot: from then on it is that of its call
   */
  lend(step: string, onTake: () => void): boolean;
  /** The step does not use the slot. */
  takeBack(step: string): void;
  /** The earliest instant at which a slot can be lent; null: not before a call ends. */
  lendsAt(): number | null;
}

/** No slot is lent at first. */
export function slotLoans({ mayLend, admission, onReturn }: SlotLoansOptions): SlotLoans {
  const lent = new Map<string, () => void>();
  return {
    size: () => lent.size,
    take(step) {
      const onTake = lent.get(step);
      if (onTake === undefined) return false;
      lent.delete(step);
      onTake();
      return true;
    },
    lend(step, onTake) {
      if (!mayLend() || !admission.admits(step)) return false;
      lent.set(step, onTake);
      return true;
    },
    takeBack(step) {
      if (!lent.delete(step)) return;
      admission.unsent(step);
      onReturn();
    },
    lendsAt: () => (mayLend() ? admission.admitsAt() : null),
  };
}
