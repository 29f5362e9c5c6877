/**
 * Reads the file of REEVE_TOKENS: principals with the digests of their tokens. A token has 256 random bits, so that an
 * unsalted digest does not help to guess it.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { roles } from '#core/access/principal.ts';
import { refusedText } from '#core/codec/field-errors.ts';
import { faultText, strictJson } from '#core/codec/strict-json.ts';
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Identify } from '#http/access/access.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';

const entrySchema = z.strictObject({
  /** Names the principal in histories and in the access log. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.@-]*$/, 'must be letters, digits, "_", ".", "@" and "-"')
    .max(limits.principalLengthMax),
  role: z.enum(roles),
  tenant: z.string().min(1).max(limits.tenantLengthMax).optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
});

const schema = z.array(entrySchema).superRefine((entries, context) => {
  const digests = entries.map(({ sha256 }) => sha256);
  const at = digests.findIndex((digest, index) => digests.indexOf(digest) !== index);
  if (at !== -1) context.addIssue({ code: 'custom', path: [at], message: 'repeats a token' });
});

type Entry = z.infer<typeof entrySchema>;

/** The file is checked for changes at most this often, ms. */
const lookEveryMs = 1_000;

/** Options of {@link namedTokens}. */
export interface NamedTokensOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Identifies principals by the file, and reads it again when it has changed. When that fails, the former tokens remain
 * valid, and the failure is logged.
 *
 * @throws {ReeveError} `tokens-unusable` when the file cannot be read at the start
 */
export function namedTokens({ path, clock, log }: NamedTokensOptions): Identify {
  let version = versionOf(path);
  let entries = read(path);
  let lookedAt = clock.now();
  /** The version that could not be read. It is read again: the reason may pass, and a removed token must not remain valid. */
  let unread: string | null = null;
  const look = () => {
    const nowMs = clock.now();
    // `abs`: a clock that was set back must not prevent the check.
    if (Math.abs(nowMs - lookedAt) < lookEveryMs) return;
    lookedAt = nowMs;
    const found = versionOf(path);
    if (found === version) return;
    try {
      entries = read(path);
      version = found;
      unread = null;
      log.info('tokens-read', { tokens: entries.length });
    } catch (error) {
      const reason = error instanceof ReeveError ? error.message : 'unknown';
      if (unread !== found) log.error('tokens-unusable', { reason });
      unread = found;
    }
  };
  return ({ authorization }) => {
    look();
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    if (token === undefined) return { kind: 'unknown' };
    const entry = bearerOf(entries, token);
    if (entry === undefined) return { kind: 'unknown' };
    const { name, role, tenant = null } = entry;
    return { kind: 'known', principal: { name, role, tenant } };
  };
}

/** Compares with every entry, each in constant time. */
function bearerOf(entries: readonly Entry[], token: string): Entry | undefined {
  const digest = hash('sha256', token, 'buffer');
  return entries.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), digest)).at(0);
}

/** Changes whenever the file does; empty when the file cannot be accessed. */
function versionOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return '';
  }
}

function read(path: string): readonly Entry[] {
  const unusable = (what: string, cause?: unknown) =>
    new ReeveError(
      'tokens-unusable',
      `The file of REEVE_TOKENS, ${path}, ${what}. Make an entry with \`reeve token NAME --role viewer\`.`,
      { cause },
    );
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw unusable('cannot be read', cause);
  }
  const document = strictJson(bytes);
  if (document.kind === 'refused') throw unusable(faultText(document.fault));
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return parsed.data;
  throw unusable(`is invalid: ${refusedText(parsed.error, 'the document')}`);
}
