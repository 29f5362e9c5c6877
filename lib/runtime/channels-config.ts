/** The response channels of an embedded Reeve, from the file that REEVE_CHANNELS names. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ReeveError } from '#core/errors.ts';
import { callableUrl, isLoopback } from './config.ts';
import { type Secrets, webhookSecrets } from './webhook-signature.ts';

/** A registered webhook: where status messages go, and what they are signed with. */
export interface WebhookChannel {
  readonly url: string;
  readonly secrets: Secrets;
}

const channelName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a-z, 0-9 and "-"');

/** Within one machine nobody listens in; anywhere else what is told must not be read on the way. */
const address = callableUrl.refine((text) => {
  // A text that is no address is told of as such.
  if (!URL.canParse(text)) return true;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}, 'must begin with https://');

const schema = z.record(
  channelName,
  z.strictObject({
    kind: z.literal('webhook'),
    url: address,
    /** The variable of the environment that holds the secret: a file is copied too easily. */
    secretVariable: z.string().min(1),
  }),
);

/**
 * By the name that `replyTo` gives; without a file there are none.
 *
 * @throws {ReeveError} `channels-invalid` saying what is wrong in the file; `secret-invalid`
 */
export function readChannels(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, WebhookChannel>> {
  if (path === undefined) return {};
  const parsed = schema.safeParse(parse(path));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path: at, message }) => `${at.join('.')}: ${message}`,
    );
    throw invalid(path, `is not right: ${faults.join('; ')}`);
  }
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, { url, secretVariable }]) => [
      name,
      { url, secrets: webhookSecrets(env[secretVariable] ?? '', `The variable ${secretVariable}`) },
    ]),
  );
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid(path, 'cannot be read', cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(path, 'is not JSON', cause);
  }
}

function invalid(path: string, what: string, cause?: unknown): ReeveError {
  return new ReeveError(
    'channels-invalid',
    `The file of REEVE_CHANNELS, ${path}, ${what}. See docs/notifications.md.`,
    { cause },
  );
}
