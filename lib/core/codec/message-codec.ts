/**
 * Encodes messages between processes as one line of versioned JSON, and validates them on receipt. A
 * message that no release can read is parked with the reason (R19). Unknown fields, which a newer release
 * added, are dropped; only those of a change are kept.
 */
import * as z from 'zod';
import { audiences, type Change, type Notification } from '#core/model/change.ts';
import { agentGates } from '#core/model/hold.ts';
import { instant } from '#core/model/instant.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import {
  type DeadlineCheck,
  delayedNudgeOf,
  type Nudge,
  nudgeOf,
  type Reply,
  type Request,
} from '#core/model/message.ts';
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
interface DescribedCodec<Message> extends MessageCodec<Message> {
  readonly envelope: z.ZodType;
  readonly schema: z.ZodType<Message>;
}

/** A submission by queue. The key is required: a queue can deliver twice, and must create only one order. */
export interface SubmissionMessage {
  readonly workflow: string;
  readonly details: JsonValue;
  readonly priority: (typeof priorities)[number];
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly key: string;
}

const slots = z
  .array(
    z.object({
      name: z.string().max(limits.slotNameLengthMax).describe('Names the limit and its key.'),
      everyMs: z
        .number()
        .positive()
        .describe('For a rate: the time between two calls, ms.')
        .exactOptional(),
      holder: z
        .string()
        .min(1)
        .max(limits.holderNameLengthMax)
        .describe('For room: names the one who has it.')
        .exactOptional(),
      isScarce: z.literal(true).describe('Other calls may wait for the room.').exactOptional(),
    }),
  )
  .min(1)
  // Room and a slot of a rate in each limit of a member and of its pool.
  .max(2 * 2 * limits.agentLimitsMax);

const nudgeSchema: z.ZodType<Nudge> = z
  .object({ orderId: order, priority, tenant: tenant.optional(), at: instant.optional() })
  .transform(({ tenant: of = null, at, ...nudge }) => {
    const nudged = { ...nudge, tenant: of };
    return at === undefined ? nudgeOf(nudged) : delayedNudgeOf(nudged, at);
  });

const deadlineCheckSchema: z.ZodType<DeadlineCheck> = z
  .object({
    orderId: order,
    at: instant,
    claimedAt: instant.nullable(),
    until: instant.optional(),
  })
  .transform(({ until, ...check }) => (until === undefined ? check : { ...check, until }));

const requestSchema: z.ZodType<Request> = z
  .object({
    orderId: order,
    workflow,
    step,
    agent,
    attempt,
    action,
    idempotencyKey: key.describe(
      'The same for every try of the step. Pass it to the service, which must do the work once and answer every try in the same way.',
    ),
    performKey: key.describe(
      'The idempotency key of the perform. In a request to undo, it names the effect to undo, and the service must refuse it from then on. In a request to perform, it is the same as idempotencyKey.',
    ),
    completeBy: moment('The deadline, after which the agent must not reply.'),
    completeWithinMs: duration.describe(
      'The time from dispatch to the deadline, ms. A heartbeat moves the deadline to this long after it, and counts only when half of this time has passed since the last one.',
    ),
    endBy: moment('The end of the attempt: no heartbeat moves the deadline past it.'),
    input: jsonSchema.describe('The input of the step, as the agent defines it.'),
    output: jsonSchema.describe(
      'For an undo, the output of the perform; null when it is not known whether the perform happened. For a perform, null.',
    ),
    priority,
    tenant,
    startAt: moment(
      'The call must not begin before. Missing: it may begin at once.',
    ).exactOptional(),
    startBy: moment(
      'The call must not begin after: give the attempt back, with the gate limit. Missing: it may begin at any time.',
    ).exactOptional(),
    slots: slots
      .describe('What the call has of the limits of the agent. Copy it to each reply.')
      .exactOptional(),
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
            `The output for later steps, as the agent defines it, of at most ${limits.outputBytesMax} bytes; for an undo, null.`,
          ),
        })
        .describe('The call succeeded.'),
      z
        .object({
          kind: z.literal('failed'),
          fault: z.object({
            code: z.string().min(1).max(limits.faultCodeLengthMax).describe('For programs.'),
            message: z.string().max(limits.faultMessageLengthMax).describe('For operators.'),
            effect,
          }),
        })
        .describe('The call failed permanently. The agent itself retries after transient faults.'),
      z
        .object({ kind: z.literal('heartbeat') })
        .describe('The agent is still working: moves the deadline, at most to endBy. Optional.'),
      z
        .object({
          kind: z.literal('deferred'),
          gate: z
            .enum(agentGates)
            .describe(
              'concurrency: the agent has too many calls in flight. circuit: its service is unavailable. limit: its slot has passed.',
            ),
          retryAfterMs: z
            .int()
            .nonnegative()
            .max(limits.holdLookMaxMs)
            .describe('How long the step waits at least before its next attempt, ms.'),
        })
        .describe(
          'The agent gives the attempt back, because it cannot make the call now. Counts no failure. Optional.',
        ),
    ]),
    waitedMs: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe(
        'How long the request waited in its queue, ms, where that was a tenth of its time or more: Reeve then sends the agent fewer requests at once. Optional.',
      ),
    slots: slots
      .describe(
        'Those of the request. Without them, the room that the call had is free only after the deadline.',
      )
      .exactOptional(),
  })
  .meta({
    title: 'Reply',
    description: 'A reply of an agent: order, step, attempt and action are those of the request.',
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
      .describe('Identifies the submission: however often it is delivered, it creates one order.'),
  })
  .meta({ title: 'Submission', description: 'Submits an order through the submission queue.' });

/** A change as submitters receive it, without the details of the order. */
const changeObject = z
  .object({
    orderId: order,
    workflow,
    workflowVersion: z.int().describe('The version of the workflow at submission.'),
    sequence: z
      .int()
      .positive()
      .describe(
        'Increases with every change of an order: shows which messages are late or duplicated.',
      ),
    previousState: z.enum(processStates).nullable().describe('Null for a new order.'),
    processState: z
      .enum(processStates)
      .describe('Processed and Undone are final; an order in Error waits for an operator.'),
    direction: z
      .enum(directions)
      .describe('Whether the steps of the order are performed or undone.'),
    fault: orderFault,
    tried,
    priority,
    tenant,
    replyTo,
    correlationId,
    at: moment('When it happened.'),
  })
  .meta({
    title: 'Status',
    description: 'Notifies a submitter of a change of the process state of an order.',
  });

const statusSchema: z.ZodType<Change> = changeObject;
/** A change as it is stored: fields of a newer release are kept and delivered. */
export const changeSchema: z.ZodType<Change> = changeObject.loose();

/** Only the notifier writes and reads it, possibly with releases in between. */
const notificationSchema: z.ZodType<Notification> = z.object({
  audience: z.enum(audiences),
  change: changeSchema,
});

/** Scheduler queue. */
export const nudgeCodec = codec('nudge', nudgeSchema);
/** The queue of deadline checks, from the Scheduler to the Supervisor. */
export const deadlineCheckCodec = codec('deadline-check', deadlineCheckSchema);
/** Request queues of agents. */
export const requestCodec = codec('request', requestSchema);
/** Reply queues of agents. */
export const replyCodec = codec('reply', replySchema);
/** Response channels of submitters. */
export const statusCodec = codec('status', statusSchema);
/** Notifications that wait for another delivery. */
export const notificationCodec = codec('notification', notificationSchema);
/** Submission queue. Its JSON is validated by the same rules as the bodies of the API. */
export const submissionCodec = codec('submission', submissionSchema, strictJson);

function codec<Message extends object>(
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
