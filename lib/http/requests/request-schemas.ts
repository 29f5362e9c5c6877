/** The schemas of requests: paths, headers, queries and bodies; the OpenAPI document has them as `requests.ts` names them. */
import * as z from 'zod';
import { jsonSchema } from '#core/codec/json-schema.ts';
import { namedValues } from '#core/codec/named-values.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { memberWeightMax } from '#core/definition/agent-pool.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { priorities, processStates } from '#core/model/record.ts';
import { submissionKeyForm } from '#core/model/submission-key.ts';
import { cursorLengthMax } from '#http/routes/listing-cursor.ts';

const instant = z.iso.datetime({
  offset: true,
  error:
    'must be an instant such as 2026-01-31T12:00:00Z or 2026-01-31T14:00:00+02:00 (a + in a URL is written %2B)',
});
const submission = {
  workflow: z.string().min(1).max(40).meta({ example: 'order-fulfilment' }),
  details: z
    // The schema of the workflow says what it is.
    .custom<JsonValue>((value) => value !== undefined, { error: 'is missing', abort: true })
    .pipe(jsonSchema)
    .meta({
      type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
      items: {},
      description: 'The document that the workflow defines: an object for most of them.',
    }),
  priority: z.enum(priorities).default('normal'),
  tenant: z.string().min(1).max(limits.tenantLengthMax).optional(),
  replyTo: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .meta({ description: 'The name of a registered response channel.' }),
  correlationId: z.string().min(1).max(limits.correlationIdLengthMax).optional().meta({
    description: 'Your own name for the order. It is part of each status message and alert.',
  }),
};
export const submissionSchema = z.strictObject(submission);
export type SubmissionDocument = z.infer<typeof submissionSchema>;

const submissionKey = z
  .string()
  .max(limits.submissionKeyLengthMax, submissionKeyForm.message)
  .regex(submissionKeyForm.pattern, submissionKeyForm.message)
  .optional();

export const orderParam = z.object({ id: z.string().meta({ description: 'The order id.' }) });

export const agentParam = z.object({
  name: z.string().meta({ description: 'The agent; or the pool, of a limit.' }),
});

export const keyHeader = z.object({
  'idempotency-key': submissionKey.meta({
    description:
      'The same key and body again give the same order, unless the first answer was `skipped`: then nothing was stored. Visible ASCII characters other than the comma; the header may be sent once.',
    example: 'cart-4711',
  }),
});

/** Checked for each order by itself, so that a fault of one does not refuse the others. */
export const batchOrderSchema = z.strictObject({
  ...submission,
  key: submissionKey.meta({
    description: 'Its idempotency key, as the header `Idempotency-Key` of a single submission.',
    example: 'cart-4711',
  }),
});

export const batchSchema = z.strictObject({
  orders: z
    .array(
      z.unknown().meta({
        anyOf: [
          { $ref: '#/components/schemas/BatchOrder' },
          { description: 'Anything else is refused by itself.' },
        ],
      }),
    )
    .min(1)
    .max(limits.batchOrdersMax),
});

export const ifMatchHeader = z.object({
  'if-match': z
    .string()
    .regex(/^"[1-9]\d{0,9}"$/, 'must be a revision in double quotes, such as "7"')
    .optional()
    .meta({
      description: 'A revision, in double quotes. An order that has changed since is not changed.',
      example: '"7"',
    }),
});

/** Any text is accepted: one that is no entity tag matches none. */
export const ifNoneMatchHeader = z.object({
  'if-none-match': z.string().optional().meta({
    description:
      'The ETag of an earlier answer. While the document has not changed, the answer is 304 without a body.',
    example: '"0c6ff6a9"',
  }),
});

/** Any text is accepted: with one that no event had as its id, the stream begins at the first entry. */
export const lastEventHeader = z.object({
  'last-event-id': z.string().optional().meta({
    description: 'The id of the last event that was received. The stream begins after it.',
    example: '7',
  }),
});

export const resubmitSchema = z.strictObject({
  set: namedValues(z.string().min(1).max(limits.fieldLengthMax), jsonSchema)
    .optional()
    .meta({
      type: 'object',
      additionalProperties: {},
      description:
        'New values for fields of the details, by dotted path: of fields that are used by no step that has happened, may have happened, is in flight or was skipped.',
      example: { 'payment.token': 'tok_2' },
    }),
});

/** Strict, because other members would have no effect. */
export const cancelSchema = z.strictObject({});

export const reprioritiseSchema = z.strictObject({ priority: z.enum(priorities) });

export const agentChangeSchema = z
  .strictObject({
    drained: z.boolean().optional().meta({
      description: 'true: no new calls go to it. false: they go there again.',
    }),
    weight: z.int().min(0).max(memberWeightMax).nullable().optional().meta({
      description:
        'Its share of the calls that may go to any member of its pool, also of those that wait; null for that of the definition. With 0 it only gets what is bound to its domain.',
    }),
    limit: z
      .strictObject({
        name: z.string().min(1).max(40).meta({ example: 'per-tenant' }),
        rate: z
          .strictObject({ count: z.int(), per: z.int(), burst: z.int().exactOptional() })
          .exactOptional(),
        atOnce: z.int().exactOptional(),
      })
      .optional()
      .meta({
        description:
          'How much one of its limits allows; amounts that are left out are those of its definition.',
      }),
  })
  .refine((change) => Object.values(change).filter((one) => one !== undefined).length === 1, {
    error: 'must have either drained, weight or limit',
  });

const name = z.string().min(1).max(40);

export const listQuery = z.object({
  state: z.enum(processStates).optional(),
  workflow: name.optional(),
  agent: name.optional().meta({
    description:
      'Orders with a fault of a step of this agent, or with a call to it in flight or held.',
  }),
  step: name.optional().meta({ description: 'Orders with a fault of this step.' }),
  fault: z
    .string()
    .min(1)
    .max(limits.faultCodeLengthMax)
    .optional()
    .meta({ description: 'Orders with this fault code.', example: 'declined' }),
  held: z.literal('true').optional().meta({
    description:
      'Orders with a step that waits for its agent, or for earlier orders of the same singleton key.',
  }),
  tenant: z.string().min(1).max(limits.tenantLengthMax).optional(),
  correlationId: z.string().min(1).max(limits.correlationIdLengthMax).optional().meta({
    description: 'Orders with this correlation id.',
  }),
  since: instant
    .optional()
    .meta({ description: 'Orders that last changed at this instant or later.' }),
  before: instant.optional().meta({ description: 'Orders that last changed before this instant.' }),
  limit: wholeNumber(1, limits.listMax)
    .default(50)
    .meta({ type: 'integer', minimum: 1, maximum: limits.listMax, default: 50 }),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a cursor of an earlier page')
    .max(cursorLengthMax, 'must be a cursor of an earlier page')
    .optional()
    .meta({ description: 'The cursor of the page before, with the same filters.' }),
});
