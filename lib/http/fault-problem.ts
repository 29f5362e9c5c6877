/** The answer to an error that is none of the caller's. */
import {
  CorruptDataError,
  errorKind,
  NewerDataError,
  ReeveError,
  UnavailableError,
} from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';
import { problem } from './problem.ts';
import type { Problem } from './problem-schema.ts';

const fullDetail =
  'Nothing was written, and no accepted order is lost. Try again when the disk has free space: Reeve then continues without further action.';

const damagedDetail =
  'Stored data that this request needs are not as they were written, or cannot be read. Other orders continue. The log of Reeve names the data; an operator has to deal with the damage before a repetition succeeds.';

const newerDetail =
  'A newer release of Reeve wrote the order, and this one cannot read it. Nothing was changed. Try again when the newer release answers, as at the end of a deployment.';

export function faultProblem(error: unknown): Problem {
  if (error instanceof CorruptDataError) return problem('store-damaged', damagedDetail);
  if (error instanceof NewerDataError) return problem('data-newer', newerDetail);
  if (!(error instanceof UnavailableError)) {
    return problem('internal', 'The log of Reeve contains the cause.');
  }
  return error.code === 'store-full'
    ? problem('store-full', fullDetail)
    : problem('unavailable', 'Try again: nothing was lost.');
}

export function logFault(log: Log, route: string, error: unknown): void {
  log.error('request-failed', {
    route,
    error: errorKind(error),
    reason: error instanceof ReeveError ? error.message : null,
  });
}
