/** The messages that other systems exchange with Reeve, and their JSON Schemas, derived from the codecs. */
import * as z from 'zod';
import { alertDetailSchema } from '#aws/notifications/alert-detail.ts';
import { statusDetailSchema } from '#aws/notifications/status-detail.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';

interface Described {
  readonly schema: z.ZodType;
  /** The schema of the message's envelope; both apply to the same text. */
  readonly envelope?: z.ZodType;
}

const messages = {
  request: requestCodec,
  reply: replyCodec,
  status: statusCodec,
  submission: submissionCodec,
  alert: { schema: alertDetailSchema },
  'status-event': { schema: statusDetailSchema },
} as const satisfies Record<string, Described>;

export type MessageName = keyof typeof messages;

export interface MessageSchema extends z.core.JSONSchema.JSONSchema {
  readonly $id: string;
}

export const fileOf = (name: string) => `${name}.schema.json`;

export function messageSchemas(): Readonly<Record<string, MessageSchema>> {
  return Object.fromEntries(
    Object.entries<Described>(messages).map(([name, described]) => [
      name,
      schemaOf(name, described),
    ]),
  );
}

function schemaOf(name: string, { schema, envelope }: Described): MessageSchema {
  const own = jsonSchemaOf(schema);
  const outer = envelope === undefined ? {} : jsonSchemaOf(envelope);
  const { $schema, title, description, ...rest } = own;
  return {
    ...($schema !== undefined && { $schema }),
    $id: `urn:reeve:message:${name}`,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...rest,
    properties: { ...outer.properties, ...own.properties },
    required: [...(outer.required ?? []), ...(own.required ?? [])],
  };
}

/** The schema for a reader, which ignores unknown fields. */
function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    // The description states what a check in code cannot express in a schema.
    unrepresentable: 'any',
  });
}
