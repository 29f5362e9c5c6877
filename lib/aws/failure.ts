/** Errors of AWS, classified by what the caller must do. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { BackOff } from '#core/model/back-off.ts';
import { ReeveError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Random } from '#ports/random.ts';
import { backOffMs, pause } from '#roles/delays.ts';
import { namedAfter, reportedError } from './reported-error.ts';

/** What a delay between tries needs. */
export interface Waits {
  readonly clock: Clock;
  readonly random: Random;
}

/** The call may have taken effect or not. */
export function unavailable(service: string, cause: unknown): UnavailableError {
  const error = new UnavailableError(
    'aws-unavailable',
    `${service} call failed: ${reportedError(cause)}. It is tried again; if the error persists, see the service's health and this role's permissions.`,
    { cause },
  );
  return namedAfter(error, cause);
}

/** Error names of calls that a service rejects however often they are made. */
const refusals = [
  'ValidationException',
  'BatchRequestTooLong',
  'AWS.SimpleQueueService.BatchRequestTooLong',
  'InvalidMessageContents',
  'InvalidParameterValue',
];

/** The error of a write or a message: {@link RefusedError} when another try cannot help. */
export function notTaken(service: string, cause: unknown): UnavailableError | RefusedError {
  const refusal = refusalOf(cause);
  if (refusal === null) return unavailable(service, cause);
  const error = new RefusedError(
    'aws-refused',
    `${service} refused it: ${refusal}. It is not tried again as it is.`,
    { cause },
  );
  return namedAfter(error, cause);
}

/** The service's own message, which quotes no item. */
function refusalOf(cause: unknown): string | null {
  if (cause instanceof TransactionCanceledException) {
    const reason = cause.CancellationReasons?.find(({ Code }) => Code === 'ValidationError');
    return reason === undefined ? null : (reason.Message ?? 'ValidationError');
  }
  return cause instanceof Error && refusals.includes(cause.name) ? cause.message : null;
}

const conflictTriesMax = 8;
const conflictBackOff: BackOff = { firstMs: 20, maxMs: 200 };

/**
 * Repeats `call` while another transaction holds the item; such a conflict does not mean that a condition
 * failed.
 *
 * @throws {RefusedError} when DynamoDB will never accept it
 * @throws {UnavailableError} when the conflict persists, or on any other AWS error
 */
export async function againOnConflict<Value>(
  { clock, random }: Waits,
  isConflict: (error: unknown) => boolean,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ReeveError) throw error;
      if (tries === conflictTriesMax || !isConflict(error)) throw notTaken('DynamoDB', error);
      await pause(clock, backOffMs(conflictBackOff, tries, random));
    }
  }
}
