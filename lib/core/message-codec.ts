/**
 * The messages as they travel between processes: one line of versioned JSON, checked where it
 * arrives. What does not fit is told apart from what cannot be had: it is parked with the reason (R19).
 */
import * as z from 'zod';
import type { Change } from './change.ts';
import { effects } from './fault.ts';
import { toldFaults } from './field-errors.ts';
import { agentName, type IdempotencyKey, orderId, stepName, workflowName } from './ids.ts';
import { instant } from './instant.ts';
import type { JsonValue } from './json.ts';
import { jsonSchema } from './json-schema.ts';
import { limits } from './limits.ts';
import type { Nudge, Reply, Request } from './message.ts';
import { directions, priorities, processStates } from './record.ts';
import { sendableJson } from './sendable-text.ts';

/** Raised when a message changes in a way that older readers must not guess at. */
const version = 1;

export type Decoded<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly reason: string };

export interface MessageCodec<Message> {
  encode(message: Message): string;
  decode(text: string): Decoded<Message>;
}

/** A submission by queue. The key is needed: a queue delivers twice, and one order must come of it. */
export interface SubmissionMessage {
  readonly workflow: string;
  readonly details: JsonValue;
  readonly priority: (typeof priorities)[number];
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly key: string;
}

const key = z.custom<IdempotencyKey>(
  (value) => typeof value === 'string' && value.length <= 200 && value.includes('/'),
  'is no idempotency key',
);
/** An identifier, by the function that checks its form; that one throws, and a schema must not. */
const id = <Id extends string>(checked: (text: string) => Id) =>
  z.string().transform((text, context) => {
    try {
      return checked(text);
    } catch {
      context.addIssue('has an impossible form');
      return z.NEVER;
    }
  });
const duration = z.int().positive();
const attempt = z.int().positive();
const action = z.enum(['perform', 'undo']);
const order = id(orderId);
const step = id(stepName);
const priority = z.enum(priorities);
const tenant = z.string().max(limits.tenantLengthMax).nullable();

const nudgeSchema: z.ZodType<Nudge> = z.object({ orderId: order, priority });

const requestSchema: z.ZodType<Request> = z.object({
  orderId: order,
  workflow: id(workflowName),
  step,
  agent: id(agentName),
  attempt,
  action,
  idempotencyKey: key,
  performKey: key,
  completeBy: instant,
  completeWithinMs: duration,
  endBy: instant,
  input: jsonSchema,
  output: jsonSchema,
  priority,
  tenant,
});

const replySchema: z.ZodType<Reply> = z.object({
  orderId: order,
  step,
  attempt,
  action,
  result: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('succeeded'), output: jsonSchema }),
    z.object({
      kind: z.literal('failed'),
      fault: z.object({
        code: z.string().min(1).max(100),
        message: z.string().max(limits.faultMessageMax),
        effect: z.enum(effects),
      }),
    }),
    z.object({ kind: z.literal('heartbeat') }),
  ]),
});

const submissionSchema: z.ZodType<SubmissionMessage> = z.object({
  workflow: z.string(),
  details: jsonSchema,
  priority: priority.default('normal'),
  tenant: tenant.default(null),
  replyTo: z.string().nullable().default(null),
  key: z.string().min(1).max(limits.submissionKeyLengthMax),
});

/** A change as it is stored and as submitters are told it: it holds no details. */
export const changeSchema: z.ZodType<Change> = z.object({
  orderId: order,
  workflow: id(workflowName),
  workflowVersion: z.int(),
  sequence: z.int().positive(),
  previousState: z.enum(processStates).nullable(),
  processState: z.enum(processStates),
  direction: z.enum(directions),
  fault: z
    .object({
      code: z.string(),
      message: z.string(),
      effect: z.enum(effects),
      step: step.nullable(),
      action: action.nullable(),
    })
    .nullable(),
  priority,
  tenant,
  replyTo: z.string().nullable(),
  at: instant,
});

export const nudgeCodec = codec('nudge', nudgeSchema);
export const requestCodec = codec('request', requestSchema);
export const replyCodec = codec('reply', replySchema);
export const statusCodec = codec('status', changeSchema);
export const submissionCodec = codec('submission', submissionSchema);

function codec<Message extends object>(
  kind: string,
  schema: z.ZodType<Message>,
): MessageCodec<Message> {
  const envelope = z.object({ version: z.literal(version), kind: z.literal(kind) });
  return {
    encode: (message) => sendableJson(JSON.stringify({ version, kind, ...message })),
    decode(text) {
      const parsed = parse(text);
      if (parsed === undefined) return { kind: 'malformed', reason: 'is not JSON' };
      const outer = envelope.safeParse(parsed);
      if (!outer.success) {
        return { kind: 'malformed', reason: `is no ${kind} of version ${version}` };
      }
      const inner = schema.safeParse(parsed);
      return inner.success
        ? { kind: 'message', message: inner.data }
        : { kind: 'malformed', reason: `does not fit at ${toldFaults(inner.error)}` };
    },
  };
}

/** `undefined` when it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
