/** The slots of one agent that steps of its pools have until their orders are claimed. */
import type { WaitingStepsOptions } from './waiting-steps.ts';

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
  /** Lends a slot to a step that waits for any member of a pool; false when there is none, or no call is admitted. */
  lend(step: string): boolean;
  /** The step does not use the slot. */
  takeBack(step: string): void;
  /** The earliest instant at which a slot can be lent; null: not before a call ends. */
  lendsAt(): number | null;
}

/** No slot is lent at first. */
export function slotLoans({ mayLend, admission, onReturn }: SlotLoansOptions): SlotLoans {
  const lent = new Set<string>();
  return {
    size: () => lent.size,
    take: (step) => lent.delete(step),
    lend(step) {
      if (!mayLend() || !admission.admits(step)) return false;
      lent.add(step);
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
