/**
 * The messages as they travel between processes: one line of versioned JSON, checked where it
 * arrives. A message that no release could read is parked with the reason (R19). Fields that a newer release
 * added are passed over, but those of a change, which are passed on.
 */
import * as z from 'zod';
import { audiences, type Change, type Notification } from '#core/model/change.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import { directions, type priorities, processStates } from '#core/model/record.ts';
import { submissionKeyForm } from '#core/model/submission-key.ts';
import { fieldFaults } from './field-errors.ts';
import { jsonSchema } from './json-schema.ts';
import {
  action,
  agent,
  attempt,
  correlationId,
  duration,
  effect,
  key,
  moment,
  order,
  orderFault,
  priority,
  replyTo,
  step,
  tenant,
  tried,
  workflow,
} from './message-fields.ts';
import { sendableJson } from './sendable-text.ts';
import { faultText, lenientJson, type StrictJson, strictJson } from './strict-json.ts';

/** Raised when a message changes in a way that older readers must not guess at. */
const version = 1;

export type Decoded<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly reason: string }
  /** Of a later version: deliver it again, for a function of the newer release that sent it. */
  | { readonly kind: 'newer'; readonly reason: string };

export interface MessageCodec<Message> {
  encode(message: Message): string;
  decode(text: string): Decoded<Message>;
}

/** A codec, and what a schema of its messages is made from. */
interface DescribedCodec<Message> extends MessageCodec<Message> {
  readonly envelope: z.ZodType;
  readonly schema: z.ZodType<Message>;
}

/** A submission by queue. The key is needed: a queue delivers twice, and one order must come of it. */
export interface SubmissionMessage {
  readonly workflow: string;
  readonly details: JsonValue;
  readonly priority: (typeof priorities)[number];
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly key: string;
}

const nudgeSchema: z.ZodType<Nudge> = z.object({ orderId: order, priority });

const requestSchema: z.ZodType<Request> = z
  .object({
    orderId: order,
    workflow,
    step,
    agent,
    attempt,
    action,
    idempotencyKey: key.describe(
      'The same for every try of the step. Hand it to the service, which must do the work once and answer every try of it alike.',
    ),
    performKey: key.describe(
      'The idempotency key of the perform: of an undo, what is to be taken back, and what the service must refuse from then on. Of a perform, its own.',
    ),
    completeBy: moment('The deadline: after it the agent replies nothing.'),
    completeWithinMs: duration.describe(
      'How long the agent was given, ms. A heartbeat counts only once half of it has passed since the last; it moves the deadline to so long after it.',
    ),
    endBy: moment('No heartbeat moves the deadline past it.'),
    input: jsonSchema.describe('What the workflow hands to the step, as the agent defines it.'),
    output: jsonSchema.describe(
      'For an undo, what the perform gave; null when it is not known whether the perform happened. For a perform, null.',
    ),
    priority,
    tenant,
  })
  .meta({ title: 'Request', description: 'Asks an agent for one try of a step.' });

const replySchema: z.ZodType<Reply> = z
  .object({
    orderId: order,
    step,
    attempt,
    action,
    result: z.discriminatedUnion('kind', [
      z
        .object({
          kind: z.literal('succeeded'),
          output: jsonSchema.describe(
            `What later steps need, as the agent defines it, of ${limits.outputBytesMax} bytes at most; for an undo, null.`,
          ),
        })
        .describe('It is done.'),
      z
        .object({
          kind: z.literal('failed'),
          fault: z.object({
            code: z.string().min(1).max(limits.faultCodeLengthMax).describe('For a program.'),
            message: z.string().max(limits.faultMessageMax).describe('For a person.'),
            effect,
          }),
        })
        .describe('Trying again is of no use. What may pass is tried again by the agent itself.'),
      z
        .object({ kind: z.literal('heartbeat') })
        .describe('Still at work: moves the deadline, up to endBy. No agent needs to send it.'),
    ]),
  })
  .meta({
    title: 'Reply',
    description: 'What an agent answers: order, step, attempt and action are those of the request.',
  });

const submissionSchema: z.ZodType<SubmissionMessage> = z
  .object({
    workflow: z.string().describe('The name of the workflow.'),
    details: jsonSchema.describe('The document that the workflow defines.'),
    priority: priority.default('normal'),
    tenant: tenant.default(null),
    replyTo: replyTo.default(null),
    correlationId,
    key: z
      .string()
      .max(limits.submissionKeyLengthMax)
      .regex(submissionKeyForm.pattern, submissionKeyForm.message)
      .describe('Names the submission: however often it is delivered, it makes one order.'),
  })
  .meta({ title: 'Submission', description: 'Submits an order by the submission queue.' });

/** A change as submitters are sent it: it holds no details. */
const changeObject = z
  .object({
    orderId: order,
    workflow,
    workflowVersion: z.int().describe('The version of the workflow that the order began with.'),
    sequence: z
      .int()
      .positive()
      .describe('Larger with every change of an order: it shows what comes late or twice.'),
    previousState: z.enum(processStates).nullable().describe('Null for a new order.'),
    processState: z
      .enum(processStates)
      .describe('Processed and Undone are final; Error waits for a person.'),
    direction: z.enum(directions).describe('Whether the order is being done or undone.'),
    fault: orderFault,
    tried,
    priority,
    tenant,
    replyTo,
    correlationId,
    at: moment('When it happened.'),
  })
  .meta({ title: 'Status', description: "Tells a submitter that an order's state has changed." });

const statusSchema: z.ZodType<Change> = changeObject;
/** As it is stored: what a newer release added is kept, and passed on. */
export const changeSchema: z.ZodType<Change> = changeObject.loose();

/** Read by nobody else than who wrote it, perhaps a release later. */
const notificationSchema: z.ZodType<Notification> = z.object({
  audience: z.enum(audiences),
  change: changeSchema,
});

export const nudgeCodec = codec('nudge', nudgeSchema);
export const requestCodec = codec('request', requestSchema);
export const replyCodec = codec('reply', replySchema);
export const statusCodec = codec('status', statusSchema);
export const notificationCodec = codec('notification', notificationSchema);
export const submissionCodec = codec('submission', submissionSchema, strictJson);

/** `read`: how the text is parsed; of a submission, by the same rules as a body of the API. */
function codec<Message extends object>(
  kind: string,
  schema: z.ZodType<Message>,
  read: (text: string) => StrictJson = lenientJson,
): DescribedCodec<Message> {
  const envelope = z.object({
    version: z.literal(version).describe('Of the form of messages.'),
    kind: z.literal(kind).describe('What the message is.'),
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
      const newer = newerEnvelope.safeParse(parsed);
      if (newer.success && newer.data.version > version) {
        return { kind: 'newer', reason: `is a ${kind} of version ${newer.data.version}` };
      }
      const outer = envelope.safeParse(parsed);
      if (!outer.success) {
        return { kind: 'malformed', reason: `is no ${kind} of version ${version}` };
      }
      const inner = schema.safeParse(parsed);
      return inner.success
        ? { kind: 'message', message: inner.data }
        : {
            kind: 'malformed',
            reason: `does not fit at ${fieldFaults(inner.error, 'the message')}`,
          };
    },
  };
}
