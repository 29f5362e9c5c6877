/** The schemas of what happened to an order: its history, its calls and the times in which it waited. */
import { z } from '@hono/zod-openapi';
import { effects } from '#core/model/fault.ts';
import { gates } from '#core/model/hold.ts';
import { priorities } from '#core/model/record.ts';

/** An instant, as the API writes it. */
export const instant = z.iso.datetime();
// An optional one is a union with null: for `nullable` of a named schema, the description would demand the schema
// and null at once.
export const faultSchema = z
  .object({ code: z.string(), message: z.string(), effect: z.enum(effects) })
  .openapi('Fault');

export const holdSchema = z.object({
  step: z.string(),
  gate: z.enum(gates),
  since: instant,
  until: instant,
  agent: z.string().optional().openapi({
    description:
      'What it waits for, where its agent is a pool: the pool, the members of a domain, or one member.',
  }),
});

export const historySchema = z
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
    notBefore: instant.optional().openapi({
      description:
        'Of a submission or an interruption: the order was not to be claimed before this instant.',
    }),
    definitionUnknown: z.boolean().optional(),
    holds: z
      .array(holdSchema)
      .optional()
      .openapi({ description: 'Steps that were held because their agents accepted no call.' }),
    agents: z
      .array(
        z.object({
          step: z.string(),
          agent: z.string(),
          undoFirst: z.boolean().optional().openapi({
            description:
              'Whether the step is undone there from now on, before it starts anew at any member; it may be held at first.',
          }),
        }),
      )
      .optional()
      .openapi({
        description:
          'The members of pools that got a call, and those where a step is undone first.',
      }),
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

export const callSchema = z
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

export const waitSchema = z
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

export type HistoryDocument = z.infer<typeof historySchema>;
