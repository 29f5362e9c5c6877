/** Errors of AWS, by what the caller must do about them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReeveError, UnavailableError } from '#core/errors.ts';

/** Whether the call took effect is not known. */
export function unavailable(service: string, cause: unknown): UnavailableError {
  const name = cause instanceof Error ? cause.name : 'unknown';
  return new UnavailableError(
    'aws-unavailable',
    `${service} did not do it: ${name}. It is tried again; if that lasts, see the service's health and this role's permissions.`,
    { cause },
  );
}

const conflictTriesMax = 8;
const conflictWaitMs = 20;

/**
 * Runs `call` again while another transaction has the item, which says nothing of conditions.
 *
 * @throws {UnavailableError} when that does not end, or for any other error of AWS
 */
export async function againOnConflict<Value>(
  isConflict: (error: unknown) => boolean,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ReeveError) throw error;
      if (tries === conflictTriesMax || !isConflict(error)) throw unavailable('DynamoDB', error);
      await sleep(conflictWaitMs * tries);
    }
  }
}
