import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';

/** A proof cannot begin, or go on. */
export class ProofError extends ReeveError<ErrorCode<'ProofError'>> {}
