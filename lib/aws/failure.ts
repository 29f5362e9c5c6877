/** Errors of AWS, by what the caller must do about them. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { BackOff } from '#core/model/back-off.ts';
import { errorKind, ReeveError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Random } from '#ports/random.ts';
import { backOffMs, pause } from '#roles/delays.ts';

/** What a wait between tries needs. */
export interface Waits {
  readonly clock: Clock;
  readonly random: Random;
}

/** Whether the call took effect is not known. */
export function unavailable(service: string, cause: unknown): UnavailableError {
  const name = errorKind(cause);
  return new UnavailableError(
    'aws-unavailable',
    `${service} did not do it: ${name}. It is tried again; if that lasts, see the service's health and this role's permissions.`,
    { cause },
  );
}

/** What a service says of a call that it will never take, however often it is made. */
const refusals = [
  'ValidationException',
  'BatchRequestTooLong',
  'AWS.SimpleQueueService.BatchRequestTooLong',
  'InvalidMessageContents',
  'InvalidParameterValue',
];

/** Of a write or a message: whether trying again may help. */
export function notTaken(service: string, cause: unknown): UnavailableError | RefusedError {
  const refusal = refusalOf(cause);
  if (refusal === null) return unavailable(service, cause);
  return new RefusedError(
    'aws-refused',
    `${service} refused it: ${refusal}. It is not tried again as it is.`,
    { cause },
  );
}

/** The service's own words: it quotes no item. */
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
 * Runs `call` again while another transaction has the item, which says nothing of conditions.
 *
 * @throws {RefusedError} when DynamoDB will never take it
 * @throws {UnavailableError} when that does not end, or for any other error of AWS
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
