/** What an operator may do to an order as it stands: the same functions that `decide` asks. */
import { draftOf } from '#core/decide/draft.ts';
import {
  type CancelRefusal,
  type CorrectionRefusal,
  cancelRefusal,
  correctionRefusal,
  type ResubmitRefusal,
  resubmitRefusal,
} from '#core/decide/operator-commands.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** Null when it may be done now; else why not. */
export interface NextActions {
  readonly resubmit: ResubmitRefusal | null;
  /** Resubmit with corrections of the details. */
  readonly correct: CorrectionRefusal | null;
  readonly cancel: CancelRefusal | null;
}

export function nextActions(record: ProcessRecord): NextActions {
  return {
    resubmit: resubmitRefusal(record),
    correct: correctionRefusal(record),
    cancel: cancelRefusal(draftOf(record, record.updatedAt)),
  };
}
