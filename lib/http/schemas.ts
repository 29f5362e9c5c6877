/** The schemas of orders in responses; the OpenAPI description is generated from them. */
import { z } from '@hono/zod-openapi';
import { effects } from '#core/model/fault.ts';
import { gates } from '#core/model/hold.ts';
import { directions, priorities, processStates } from '#core/model/record.ts';

/** An instant, as the API writes it. */
export const instant = z.iso.datetime();
const processState = z.enum(processStates);

export const acceptedSchema = z
  .object({ orderId: z.string(), processState })
  .openapi('AcceptedOrder');

// An optional one is a union with null: for `nullable` of a named schema, the description would demand the schema
// and null at once.
const faultSchema = z
  .object({ code: z.string(), message: z.string(), effect: z.enum(effects) })
  .openapi('Fault');

const orderFaultSchema = faultSchema
  .extend({ step: z.string().nullable(), action: z.enum(['perform', 'undo']).nullable() })
  .openapi('OrderFault');

const json = z.any().openapi({ description: 'Any JSON.' });

const callPolicySchema = z.object({
  completeWithinMs: z.int(),
  maxDurationMs: z.int(),
  retries: z.int(),
  coolDownMs: z.int(),
  coolDownTimes: z.int(),
  coolDownFactor: z.number().optional().openapi({
    description: 'How many times as long as the one before a cool-down is; 1 when it is left out.',
  }),
  coolDownMaxMs: z
    .int()
    .optional()
    .openapi({ description: 'The longest cool-down; 7 days when it is left out.' }),
});

const policySchema = callPolicySchema.extend({
  onFault: z.enum(['hold', 'undo']),
  onExhausted: z.enum(['hold', 'undo']),
  irreversible: z.boolean(),
  holdMaxMs: z
    .int()
    .optional()
    .openapi({ description: 'How long the step may be held; a day when it is left out.' }),
  undo: z
    .union([callPolicySchema, z.null()])
    .openapi({ description: 'How its undo is tried; null for an irreversible step.' }),
});

export const stepSchema = z
  .object({
    state: z.enum([
      'NotStarted',
      'Held',
      'Running',
      'Completed',
      'Failed',
      'Skipped',
      'Undoing',
      'Undone',
    ]),
    agent: z.string(),
    attempt: z.int(),
    failures: z.int(),
    inDoubt: z
      .boolean()
      .openapi({ description: 'Whether it may have had an effect that is not known.' }),
    completeBy: instant.nullable(),
    input: z.any().openapi({ description: 'The input of the step; null while it is not known.' }),
    output: json,
    fault: z.union([faultSchema, z.null()]),
    held: z
      .union([z.object({ gate: z.enum(gates), since: instant, until: instant }), z.null()])
      .openapi({
        description:
          'Why the step waits for its agent, and until when the agent is asked again. concurrency: the agent has as many calls as it can begin in time. circuit: its circuit breaker is open.',
      }),
    policy: policySchema,
  })
  .openapi('Step');

const holdSchema = z.object({
  step: z.string(),
  gate: z.enum(gates),
  since: instant,
  until: instant,
});

const historySchema = z
  .object({
    at: instant,
    type: z.string(),
    by: z.string().optional(),
    step: z.string().optional(),
    attempt: z.int().optional(),
    fault: faultSchema.optional(),
    steps: z.array(z.string()).optional(),
    nudges: z.int().optional(),
    late: z
      .boolean()
      .optional()
      .openapi({ description: 'Whether the order was found past its own deadline.' }),
    reason: z.string().optional(),
    notBefore: instant.optional(),
    definitionUnknown: z.boolean().optional(),
    holds: z
      .array(holdSchema)
      .optional()
      .openapi({ description: 'Steps that were held because their agents accepted no call.' }),
    gate: z
      .enum(gates)
      .optional()
      .openapi({ description: 'Why the agent gave the call back; see `held`.' }),
    retryAfterMs: z
      .int()
      .optional()
      .openapi({ description: 'How long the agent asked not to be called again, ms.' }),
    times: z
      .int()
      .optional()
      .openapi({ description: 'The number of consecutive decisions that found the step held.' }),
    entries: z.int().optional().openapi({
      description: 'The number of entries that were dropped because the record was full.',
    }),
    claims: z.int().optional().openapi({
      description:
        'The number of claims since the last action of an operator, among the dropped entries.',
    }),
    corrected: z
      .array(z.string())
      .optional()
      .openapi({ description: 'Fields of the details that a resubmit corrected.' }),
    priority: z
      .enum(priorities)
      .optional()
      .openapi({ description: 'The priority that an operator gave the order.' }),
    from: z
      .enum(priorities)
      .optional()
      .openapi({ description: 'The priority that the order had before.' }),
  })
  .openapi('HistoryEntry');

const callSchema = z
  .object({
    step: z.string(),
    action: z.enum(['perform', 'undo']),
    attempt: z.int(),
    from: z.union([instant, z.null()]).openapi({
      description: 'When the call was dispatched; null when the history does not have it.',
    }),
    to: z
      .union([instant, z.null()])
      .openapi({ description: 'When its end was recorded; null while it is under way.' }),
    end: z
      .enum(['succeeded', 'failed', 'timedOut', 'interrupted', 'deferred'])
      .nullable()
      .openapi({ description: 'interrupted: by a restart or an outage, which is no failure.' }),
    isLate: z.boolean().openapi({
      description:
        'Its reply was recorded while the order was stopped or waited, and started nothing.',
    }),
    fault: z.string().nullable().openapi({ description: 'The code of the fault it failed with.' }),
  })
  .openapi('Call');

const waitSchema = z
  .object({
    step: z.string(),
    kind: z.enum(['coolDown', 'interruption', 'doubt', 'hold']).openapi({
      description:
        'coolDown: between two rounds of attempts. interruption: after a restart or an outage. doubt: before an undo, until no call can be at work. hold: until its agent accepted the call.',
    }),
    from: instant,
    to: instant,
  })
  .openapi('Wait');

const refusal = <const Reasons extends readonly string[]>(reasons: Reasons) =>
  z.enum(reasons).nullable();

const actionsSchema = z
  .object({
    resubmit: refusal(['not-in-error']),
    correct: refusal(['not-in-error', 'already-undoing']),
    cancel: refusal(['ended', 'already-undoing', 'irreversible']),
    reprioritise: refusal(['ended']),
  })
  .openapi('Actions', {
    description: 'What an operator may do now: null when it is allowed, else the reason why not.',
  });

const summarySchema = z
  .object({
    orderId: z.string(),
    workflow: z.string(),
    workflowVersion: z.int(),
    processState,
    direction: z.enum(directions),
    fault: z.union([orderFaultSchema, z.null()]),
    priority: z.enum(priorities),
    tenant: z.string().nullable(),
    correlationId: z.string().nullable(),
    revision: z.int(),
    submittedAt: instant,
    updatedAt: instant,
    actions: actionsSchema,
  })
  .openapi('OrderSummary');

export const orderSchema = summarySchema
  .extend({
    lockedBy: z.string().nullable(),
    completeBy: instant.nullable(),
    failureCount: z.int(),
    replyTo: z.string().nullable(),
    notBefore: instant,
    deadline: z
      .union([z.object({ lateAt: instant, onLate: z.enum(['hold', 'undo']) }), z.null()])
      .openapi({
        description:
          'When an order that is not finished stops for an operator (hold) or is undone; null when its workflow has no such limit, and after a resubmit past it.',
      }),
    steps: z.record(z.string(), stepSchema),
    history: z.array(historySchema),
    calls: z
      .array(callSchema)
      .openapi({ description: 'Each attempt, in the order in which they began.' }),
    waits: z
      .array(waitSchema)
      .openapi({ description: 'Times in which a step was not called, and why.' }),
    details: z.any().openapi({
      description: 'As submitted, with corrections; [redacted] where the workflow says so.',
    }),
  })
  .openapi('Order');

const listedSchema = summarySchema
  .extend({
    held: z
      .array(holdSchema.extend({ agent: z.string() }))
      .optional()
      .openapi({ description: 'The steps that wait for their agents; left out when none does.' }),
  })
  .openapi('ListedOrder');

export const listSchema = z
  .object({
    orders: z.array(listedSchema),
    cursor: z.string().nullable(),
    asOf: instant.openapi({ description: 'When this page was read: for `before` of a later one.' }),
  })
  .openapi('OrderList');

export type OrderDocument = z.infer<typeof orderSchema>;
export type SummaryDocument = z.infer<typeof summarySchema>;
export type ListedDocument = z.infer<typeof listedSchema>;
export type HistoryDocument = z.infer<typeof historySchema>;
export type ListDocument = z.infer<typeof listSchema>;
