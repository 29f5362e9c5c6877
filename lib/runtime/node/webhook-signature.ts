/** Signs messages after the Standard Webhooks specification, version 1: https://www.standardwebhooks.com */
import { createHmac } from 'node:crypto';
import { ReeveError } from '#core/model/errors.ts';

const prefix = 'whsec_';
/** The size of a secret by the specification. */
const bytesMin = 24;
const bytesMax = 64;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** One secret, or several during a rotation. */
export type Secrets = readonly [Buffer, ...Buffer[]];

/**
 * Parses `whsec_` followed by base64; several secrets are separated by spaces, and each signs.
 *
 * @param place where the text is from, as the subject of a message, such as `The variable SHOP_WEBHOOK_SECRET`
 * @throws {ReeveError} `secret-invalid`; the message names the place, and never quotes the secret
 */
export function webhookSecrets(text: string, place: string): Secrets {
  const [first, ...others] = text.trim().split(/\s+/).map(secretOf);
  if (first === undefined || first === null || others.includes(null)) {
    throw new ReeveError(
      'secret-invalid',
      `${place} is no webhook secret: give ${prefix} and ${bytesMin} to ${bytesMax} bytes in base64; several with spaces between them.`,
    );
  }
  return [first, ...others.filter((secret) => secret !== null)];
}

function secretOf(word: string): Buffer | null {
  const encoded = word.slice(prefix.length);
  if (!word.startsWith(prefix) || !base64.test(encoded)) return null;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length >= bytesMin && bytes.length <= bytesMax ? bytes : null;
}

/** The headers by which a receiver identifies and authenticates the message. `atMs`: ms since the epoch. */
export function signatureHeaders(
  id: string,
  atMs: number,
  body: string,
  secrets: Secrets,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
