/** What a client of AWS reported, in words for errors and logs. Its message is left out, because it may quote an item. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { errorCode, errorKind, type ReeveError } from '#core/model/errors.ts';

const answeredSchema = z.object({ $metadata: z.object({ httpStatusCode: z.int() }) });

/**
 * The name of the error, with the status of the answer, or with the codes of a connection that failed:
 * `AccessDeniedException (HTTP 400)`, `ECONNREFUSED`, `AggregateError (ECONNREFUSED, ETIMEDOUT)`.
 */
export function reportedError(cause: unknown): string {
  const name = errorKind(cause);
  const details = [...codesOf(cause), ...statusOf(cause)].filter((detail) => detail !== name);
  // Node gives all errors of a connection the name `Error`, and a code.
  const [first = name, ...rest] = name === 'Error' ? details : [name, ...details];
  return rest.length === 0 ? first : `${first} (${rest.join(', ')})`;
}

/**
 * Gives the error a name that ends with what the client reported: where the message of an error may quote details of an order, a
 * line of the log has its name alone.
 */
export function namedAfter<Wrapped extends ReeveError>(error: Wrapped, cause: unknown): Wrapped {
  return Object.assign(error, { name: `${error.name}: ${reportedError(cause)}` });
}

function codesOf(cause: unknown): readonly string[] {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(reportedError))];
  if (cause instanceof TransactionCanceledException) {
    const reasons = cause.CancellationReasons?.map(({ Code = 'None' }) => Code) ?? [];
    return [...new Set(reasons)].filter((reason) => reason !== 'None');
  }
  const code = errorCode(cause);
  return code === null ? [] : [code];
}

function statusOf(cause: unknown): readonly string[] {
  const { data } = answeredSchema.safeParse(cause);
  return data === undefined ? [] : [`HTTP ${data.$metadata.httpStatusCode}`];
}
