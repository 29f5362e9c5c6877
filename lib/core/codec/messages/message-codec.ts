/**
 * Encodes messages between processes as one line of versioned JSON, and validates them on receipt. A
 * message that no release can read is parked with the reason (R19). Unknown fields, which a newer release
 * added, are dropped; only those of a change are kept.
 */
import * as z from 'zod';
import { fieldFaults } from '../field-errors.ts';
import { sendableJson } from '../sendable-text.ts';
import { faultText, lenientJson, type StrictJson } from '../strict-json.ts';

/** To be increased when older releases must not read a changed message. */
const version = 1;

/** The result of decoding a message. `reason`: the end of a sentence that begins with the message. */
export type Decoded<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly reason: string }
  /** A message of a later version: deliver it again, to a function of the newer release. */
  | { readonly kind: 'newer'; readonly reason: string };

/** Converts one kind of message to and from its text. */
export interface MessageCodec<Message> {
  encode(message: Message): string;
  decode(text: string): Decoded<Message>;
}

/** A codec with the schemas of its messages, from which the published ones are generated. */
export interface DescribedCodec<Message> extends MessageCodec<Message> {
  readonly envelope: z.ZodType;
  readonly schema: z.ZodType<Message>;
}

/** @param read reads the text, by default as leniently as JSON allows */
export function messageCodec<Message extends object>(
  kind: string,
  schema: z.ZodType<Message>,
  read: (text: string) => StrictJson = lenientJson,
): DescribedCodec<Message> {
  const envelope = z.object({
    version: z.literal(version).describe('The version of the message format.'),
    kind: z.literal(kind).describe('The kind of the message.'),
  });
  const newerEnvelope = z.object({ version: z.int(), kind: z.literal(kind) });
  return {
    envelope,
    schema,
    encode: (message) => sendableJson(JSON.stringify({ version, kind, ...message })),
    decode(text) {
      const json = read(text);
      if (json.kind === 'refused') return { kind: 'malformed', reason: faultText(json.fault) };
      const { value: parsed } = json;
      if (!envelope.safeParse(parsed).success) {
        const newer = newerEnvelope.safeParse(parsed);
        return newer.success && newer.data.version > version
          ? { kind: 'newer', reason: `is a ${kind} of version ${newer.data.version}` }
          : { kind: 'malformed', reason: `is no ${kind} of version ${version}` };
      }
      const inner = schema.safeParse(parsed);
      return inner.success
        ? { kind: 'message', message: inner.data }
        : {
            kind: 'malformed',
            reason: `is invalid at ${fieldFaults(inner.error, 'the message')}`,
          };
    },
  };
}
