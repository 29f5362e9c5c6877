/** Signs messages after the Standard Webhooks specification, version 1: https://www.standardwebhooks.com */
import { createHmac } from 'node:crypto';
import { ReeveError } from '#core/model/errors.ts';

const prefix = 'whsec_';
/** Of a secret, as the specification has it. */
const bytesMin = 24;
const bytesMax = 64;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** One secret, or several while one is being replaced. */
export type Secrets = readonly [Buffer, ...Buffer[]];

/**
 * Reads `whsec_` and base64; several with spaces between them, each of which then signs.
 *
 * @throws {ReeveError} `secret-invalid`, which says where it was found, and nothing of what
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

/** The headers by which a receiver knows the message, its time, and that nobody else wrote it. */
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
