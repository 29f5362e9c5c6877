import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';

/** The testing kit was used in a way that cannot work. */
export class KitError extends ReeveError<ErrorCode<'KitError'>> {}
