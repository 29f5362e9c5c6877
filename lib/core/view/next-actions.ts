/** The actions that an operator can take on an order, from the same functions that `decide` uses. */
import { draftOf } from '#core/decide/draft.ts';
import {
  type CancelRefusal,
  type CorrectionRefusal,
  cancelRefusal,
  correctionRefusal,
  type ReprioritiseRefusal,
  type ResubmitRefusal,
  reprioritiseRefusal,
  resubmitRefusal,
} from '#core/decide/operator/operator-commands.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** For each action null when it is possible, else why not. */
export interface NextActions {
  readonly resubmit: ResubmitRefusal | null;
  /** Resubmit with corrections of the details. */
  readonly correct: CorrectionRefusal | null;
  readonly cancel: CancelRefusal | null;
  /** Any other priority than the present one. */
  readonly reprioritise: ReprioritiseRefusal | null;
}

/** The actions for the current revision. */
export function nextActions(record: ProcessRecord): NextActions {
  return {
    resubmit: resubmitRefusal(record),
    correct: correctionRefusal(record),
    cancel: cancelRefusal(draftOf(record, record.updatedAt)),
    reprioritise: reprioritiseRefusal(record),
  };
}
