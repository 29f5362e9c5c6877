/** The schemas of orders in responses; the OpenAPI description is generated from them. */
import { z } from '@hono/zod-openapi';
import { gates } from '#core/model/hold.ts';
import { directions, priorities, processStates } from '#core/model/record.ts';
import { gateMeanings } from '#text/gate-text.ts';
import {
  callSchema,
  faultSchema,
  historySchema,
  holdSchema,
  instant,
  waitSchema,
} from './history-schemas.ts';
import { problemSchema } from './problem-schema.ts';
import { leftOut } from './shown-inputs.ts';

const processState = z.enum(processStates);

export const acceptedSchema = z
  .object({
    orderId: z.string(),
    processState,
    skipped: z.literal(true).optional().openapi({
      description:
        'The order is an earlier one of the same singleton key, which has not ended: nothing was stored. Left out otherwise.',
    }),
  })
  .openapi('AcceptedOrder');

/** One for each order of a bulk submission. */
const batchOutcomeSchema = z
  .union([
    z
      .object({
        kind: z.enum(['accepted', 'recognised', 'skipped']).openapi({
          description:
            'accepted: order and process record are on disk. recognised: an earlier submission with the same key has stored it. skipped: it is an earlier order of the same singleton key, which has not ended, and nothing was stored.',
        }),
        orderId: z.string(),
        href: z.string().openapi({ description: 'Where it is read, as the header `Location`.' }),
        processState,
      })
      .openapi('AcceptedBatchOrder'),
    z
      .object({
        kind: z.literal('refused').openapi({ description: 'The order must be changed.' }),
        problem: problemSchema,
      })
      .openapi('RefusedBatchOrder'),
    z
      .object({
        kind: z.enum(['overloaded', 'failed']).openapi({
          description:
            'overloaded: too many orders wait, and nothing was stored. failed: the state store is not available, or there is a defect; whether the order is stored is unknown, and with its key it can be sent again all the same.',
        }),
        problem: problemSchema,
        retryAfterSeconds: z.int().min(1).openapi({
          description: 'The time until it is sent again, as the header `Retry-After`.',
        }),
      })
      .openapi('PostponedBatchOrder'),
  ])
  .openapi('BatchOutcome');
export type BatchOutcomeDocument = z.infer<typeof batchOutcomeSchema>;

export const batchResultSchema = z
  .object({
    orders: z
      .array(batchOutcomeSchema)
      .openapi({ description: 'One for each order of the request, in the same sequence.' }),
  })
  .openapi('BatchResult');

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
    input: z.any().openapi({
      description: `The input of the step; null while it is not known, and the text ${leftOut} where those of the order have more than 1 MiB together. Those of steps that failed, are in flight or wait are shown first.`,
    }),
    output: json,
    fault: z.union([faultSchema, z.null()]),
    held: z
      .union([z.object({ gate: z.enum(gates), since: instant, until: instant }), z.null()])
      .openapi({
        description: `Why the step waits for its agent, or the order for earlier ones, and until when it is asked again. ${gateMeanings(gates, 'the agent')}`,
      }),
    undoFirst: z.boolean().optional().openapi({
      description:
        'Whether the step is undone, or held to be undone, before it starts anew at any member of its pool; left out where it is not.',
    }),
    policy: policySchema,
  })
  .openapi('Step');

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
    turn: z
      .union([
        z.object({
          behind: z.string().nullable(),
          replaces: z.boolean(),
          since: z.union([instant, z.null()]),
        }),
        z.null(),
      ])
      .openapi({
        description:
          'The place of the order among those with its singleton key. behind: the last of them at its submission, null when it was the first; the order begins when all before it have ended. replaces: those are cancelled. since: until it begins, a later order of the key replaces it (debounce), and this is when the first of the orders that replaced each other was submitted; null where none does. Null for an order without a singleton key.',
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
export type ListDocument = z.infer<typeof listSchema>;
