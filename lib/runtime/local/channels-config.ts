/** The response channels of an embedded Reeve, from the file that REEVE_CHANNELS names. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { nameText } from '#core/codec/name-text.ts';
import { namedValues } from '#core/codec/named-values.ts';
import { faultText, strictJson } from '#core/codec/strict-json.ts';
import { ReeveError } from '#core/model/errors.ts';
import { webhookAddress } from '#runtime/node/webhook-address.ts';
import { type Secrets, webhookSecrets } from '#runtime/node/webhook-signature.ts';

/** A registered webhook: its address, and the secrets that sign its messages. */
export interface WebhookChannel {
  readonly url: string;
  readonly secrets: Secrets;
}

const schema = namedValues(
  nameText,
  z.strictObject({
    kind: z.literal('webhook'),
    url: webhookAddress,
    /** The environment variable with the secret. The secret is not in the file, because files are copied too easily. */
    secretVariable: z.string().min(1),
  }),
);

/**
 * Returns the channels by name (as in `replyTo`); none when `path` is undefined.
 *
 * @throws {ReeveError} `channels-invalid`, naming the fault in the file; `secret-invalid`
 */
export function readChannels(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, WebhookChannel>> {
  if (path === undefined) return {};
  const parsed = schema.safeParse(parse(path));
  if (!parsed.success) {
    throw invalid(path, `is invalid: ${refusedText(parsed.error, 'the document')}`);
  }
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, { url, secretVariable }]) => [
      name,
      { url, secrets: webhookSecrets(env[secretVariable] ?? '', `The variable ${secretVariable}`) },
    ]),
  );
}

function parse(path: string): unknown {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw invalid(path, 'cannot be read', cause);
  }
  const parsed = strictJson(bytes);
  if (parsed.kind === 'json') return parsed.value;
  throw invalid(path, faultText(parsed.fault));
}

function invalid(path: string, what: string, cause?: unknown): ReeveError {
  return new ReeveError(
    'channels-invalid',
    `The file of REEVE_CHANNELS, ${path}, ${what}. See docs/notifications.md.`,
    { cause },
  );
}
