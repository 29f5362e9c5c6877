/** Reads a secret of Secrets Manager. Powertools caches it; a failed renewal keeps the last value. */
import { GetParameterError } from '@aws-lambda-powertools/parameters/errors';
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { UnavailableError } from '#core/model/errors.ts';
import { namedAfter, reportedError } from './reported-error.ts';

/** A replaced secret is noticed after this time. */
const maxAgeSeconds = 300;

/**
 * Returns a function that reads the secret as text.
 *
 * @throws {UnavailableError} `secret-unread` when the secret was never read
 */
export function secretReader(arn: string, client: SecretsManagerClient): () => Promise<string> {
  const provider = new SecretsProvider({ awsSdkV3Client: client });
  let known: string | null = null;
  let pending: Promise<string> | null = null;
  const renew = async () => {
    try {
      const value = await provider.get(arn, { maxAge: maxAgeSeconds });
      if (typeof value !== 'string') throw new TypeError('The secret is not a text.');
      known = value;
    } catch (cause) {
      if (known === null) throw unread(arn, cause);
    } finally {
      pending = null;
    }
    return known;
  };
  // The library calls Secrets Manager once per concurrent reader.
  return async () => {
    pending ??= renew();
    return pending;
  };
}

function unread(arn: string, cause: unknown): UnavailableError {
  // The library wraps what the client reported.
  const reported = cause instanceof GetParameterError ? cause.cause : cause;
  const error = new UnavailableError(
    'secret-unread',
    `The secret ${arn} cannot be read: ${reportedError(reported)}. Does it exist, as text, and may this function's role read it, and use its key?`,
    { cause },
  );
  return namedAfter(error, reported);
}
