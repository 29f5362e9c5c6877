/** The error of a proof that cannot begin, or go on. */
import { ReeveError } from '#core/model/errors.ts';

/** What is to be proven is not stated correctly. */
export class ProofError extends ReeveError<
  'proof-empty' | 'details-invalid' | 'orders-invalid' | 'seeds-range'
> {}
