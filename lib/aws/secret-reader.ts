/**
 * Reads one secret of Secrets Manager, by a signed call: for one request an instance, its client would be a
 * second one in the function's bundle.
 */
import * as z from 'zod';
import { UnavailableError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import { type SigningConfig, signedFetch } from './signed-fetch.ts';

export interface SecretReaderOptions {
  readonly arn: string;
  /** Of any client of the SDK: whose credentials sign. */
  readonly config: SigningConfig;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Default: Secrets Manager of the secret's own region. */
  readonly endpoint?: string;
}

/** A secret that was replaced is noticed after this, ms. */
const keptMs = 300_000;
const answerWithinMs = 3_000;

const answerSchema = z.object({ SecretString: z.string() });

/**
 * Asks once for all who want it at a time, and again when what it knows has grown old; where that fails, the
 * old one is still good.
 */
export function secretReader(options: SecretReaderOptions): () => Promise<string> {
  const { clock } = options;
  let known: { readonly secret: string; readonly at: number } | null = null;
  let asking: Promise<string> | null = null;
  const renewed = async () => {
    try {
      known = { secret: await ask(options), at: clock.now() };
    } catch (cause) {
      if (known === null) throw unread(options.arn, cause);
    } finally {
      asking = null;
    }
    return known.secret;
  };
  return async () => {
    if (known !== null && clock.now() - known.at < keptMs) return known.secret;
    asking ??= renewed();
    return asking;
  };
}

async function ask({ arn, config, fetch, endpoint }: SecretReaderOptions): Promise<string> {
  const region = arn.split(':')[3] ?? '';
  const send = signedFetch(config, { service: 'secretsmanager', region }, fetch);
  const response = await send(endpoint ?? `https://secretsmanager.${region}.amazonaws.com/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
    },
    body: JSON.stringify({ SecretId: arn }),
    redirect: 'error',
    signal: AbortSignal.timeout(answerWithinMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new UnavailableError('secret-refused', `Secrets Manager answered ${response.status}.`);
  }
  return answerSchema.parse(await response.json()).SecretString;
}

function unread(arn: string, cause: unknown): UnavailableError {
  return new UnavailableError(
    'secret-unread',
    `The secret ${arn} cannot be read. Does it exist, as text, and may this function's role read it, and use its key?`,
    { cause },
  );
}
