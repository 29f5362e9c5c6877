/** The refusal of a submission as an error, for callers that expect an order. */
import { errorsText, type FieldError } from '#core/codec/field-errors.ts';
import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { SubmissionOutcome } from '../submission.ts';

type Refusal =
  | Exclude<SubmissionOutcome, { kind: 'accepted' }>
  | {
      readonly kind: 'refused';
      readonly code: 'option-invalid';
      readonly errors: readonly FieldError[];
    };

/** A submission that was refused: nothing was stored. */
export class SubmissionError extends ReeveError<ErrorCode<'SubmissionError'>> {
  declare readonly code: ErrorCode<'SubmissionError'>;
  /** The fields of the submission that are wrong; none when too many orders wait. */
  readonly errors: readonly FieldError[];
  /** When the same submission will be accepted, ms from now; null when it must be changed. */
  readonly retryAfterMs: number | null;

  constructor(refusal: Refusal) {
    super(refusal.code, messageOf(refusal));
    this.errors = refusal.kind === 'refused' ? refusal.errors : [];
    this.retryAfterMs = refusal.kind === 'overloaded' ? refusal.retryAfterMs : null;
  }
}

function messageOf(refusal: Refusal): string {
  if (refusal.kind === 'refused') {
    return `The submission is refused: ${errorsText(refusal.errors)}. Nothing was stored.`;
  }
  const seconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000));
  return `Too many orders wait. Nothing was stored. Submit the order again in ${seconds} s.`;
}
