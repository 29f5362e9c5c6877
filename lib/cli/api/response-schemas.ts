/**
 * The documents of the API, as far as the command line displays or uses them. Unknown fields
 * are allowed, so that it works with a newer Reeve; `--json` prints them too.
 *
 * Control characters are removed from texts, because the message of a fault is untrusted, and
 * an escape sequence in it could control the terminal. Instants become ms since the epoch.
 */
import * as z from 'zod';
import { unknownEntryTitle } from '#text/history-entry.ts';
import { plainText } from '#text/plain-text.ts';

/** A text that a terminal can show. */
export const text = z.string().overwrite(plainText);
/** In ms since the epoch. */
export const instant = z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso));

/** The priority classes, highest first. */
export const priorities = ['high', 'normal', 'low'] as const;

export const processStates = ['Pending', 'Processing', 'Processed', 'Error', 'Undone'] as const;
const processState = z.enum(processStates);
export type ProcessState = (typeof processStates)[number];

const stepState = z.enum([
  'NotStarted',
  'Held',
  'Running',
  'Completed',
  'Failed',
  'Skipped',
  'Undoing',
  'Undone',
]);
export type StepState = z.infer<typeof stepState>;

const faultSchema = z.object({ code: text, message: text, effect: z.enum(['none', 'possible']) });
export type Fault = z.infer<typeof faultSchema>;

const orderFaultSchema = faultSchema.extend({
  step: text.nullable(),
  action: z.enum(['perform', 'undo']).nullable(),
});
export type OrderFault = z.infer<typeof orderFaultSchema>;

export const acceptedSchema = z.object({
  orderId: text,
  processState,
  skipped: z.literal(true).optional(),
});

/** A document of a workflow, as JSON on one line; null for null. */
const anyDocument = z.unknown().transform((document) => {
  if (document === null) return null;
  try {
    return plainText(JSON.stringify(document) ?? 'null');
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to be printed)';
    throw error;
  }
});

const stepSchema = z.object({
  state: stepState,
  attempt: z.int(),
  failures: z.int(),
  completeBy: instant.nullable(),
  agent: text,
  fault: faultSchema.nullable(),
  inDoubt: z.boolean(),
  // An older Reeve does not send it.
  held: z.object({ gate: text, since: instant }).nullable().default(null),
  undoFirst: z.boolean().default(false),
  // An older Reeve does not send it.
  input: anyDocument.default(null),
  output: anyDocument.default(null),
});
export type StepDocument = z.infer<typeof stepSchema>;

const at = z.object({
  at: instant,
  agents: z
    .array(z.object({ step: text, agent: text, undoFirst: z.boolean().optional() }))
    .default([]),
});
const ofAttempt = at.extend({ step: text, attempt: z.int() });
const ofSweep = at.extend({ steps: z.array(text), nudges: z.int() });

const knownEntrySchema = z.discriminatedUnion('type', [
  // Null for an order that was stored before submitters were recorded.
  at.extend({
    type: z.literal('submit'),
    by: text.nullable().default(null),
    notBefore: instant.nullable().default(null),
  }),
  at.extend({ type: z.literal('claim'), by: text, definitionUnknown: z.boolean() }),
  at.extend({ type: z.literal('resume'), by: text }),
  at.extend({
    type: z.literal('held'),
    holds: z.array(z.object({ step: text, gate: text, agent: text.optional() })).default([]),
    times: z.int().default(1),
  }),
  ofAttempt.extend({ type: z.literal(['stepSucceeded', 'undoSucceeded', 'heartbeat']) }),
  ofAttempt.extend({ type: z.literal(['stepFailed', 'undoFailed']), fault: faultSchema }),
  ofAttempt.extend({ type: z.literal('deferred'), gate: text }),
  ofSweep.extend({ type: z.literal('expired'), late: z.boolean().default(false) }),
  ofSweep.extend({
    type: z.literal('interrupted'),
    reason: z.enum(['restart', 'outage']),
    notBefore: instant,
  }),
  at.extend({ type: z.literal('resubmit'), by: text, corrected: z.array(text).default([]) }),
  at.extend({ type: z.literal('cancel'), by: text }),
  at.extend({ type: z.literal('reprioritise'), by: text, priority: text, from: text }),
  at.extend({ type: z.literal('shortened'), entries: z.int() }),
]);

/** An entry of a newer release, displayed by its type. */
const otherEntrySchema = at.extend({ type: text }).transform(({ at: when, type }) => ({
  type: 'other' as const,
  at: when,
  title: type === 'unknown' ? unknownEntryTitle : type,
}));

const entrySchema = z.union([knownEntrySchema, otherEntrySchema]);
export type HistoryEntry = z.infer<typeof entrySchema>;

const summarySchema = z.object({
  orderId: text,
  workflow: text,
  processState,
  direction: z.enum(['forward', 'undo']),
  submittedAt: instant,
  updatedAt: instant,
  fault: orderFaultSchema.nullable(),
  priority: text,
  revision: z.int(),
});
export type SummaryDocument = z.infer<typeof summarySchema>;

export const orderSchema = summarySchema.extend({
  // An older Reeve does not send it, and accepts a resubmit of every order in Error.
  actions: z
    .object({ resubmit: text.nullable(), cancel: text.nullable() })
    .default({ resubmit: null, cancel: 'unknown' }),
  workflowVersion: z.int(),
  lockedBy: text.nullable(),
  completeBy: instant.nullable(),
  failureCount: z.int(),
  tenant: text.nullable(),
  // An older Reeve does not send it.
  correlationId: text.nullable().default(null),
  notBefore: instant,
  // An older Reeve does not send it.
  deadline: z.object({ lateAt: instant, onLate: text }).nullable().default(null),
  // An older Reeve does not send it.
  turn: z
    .object({ behind: text.nullable(), since: instant.nullable().default(null) })
    .nullable()
    .default(null),
  steps: z.record(text, stepSchema),
  history: z.array(entrySchema),
});
export type OrderDocument = z.infer<typeof orderSchema>;

const count = z.int();

/** What waits now; the embedded Reeve alone has it. */
export const activitySchema = z.object({
  // A server of an earlier release does not say it.
  counting: z.boolean().default(false),
  orders: z.object({ Pending: count, Processing: count, Error: count }),
  agents: z.array(
    z.object({
      name: text,
      inFlight: count,
      waiting: count,
      held: z.array(z.object({ gate: text, steps: count, since: instant })),
      circuit: z.object({ state: text, probeAt: instant.nullable() }),
      // A server of an earlier release drains no agent.
      drained: z.object({ by: text }).nullable().default(null),
      endpoints: z
        .array(
          z.object({
            url: text,
            state: text,
            inFlight: count,
            latencyMs: z.number().nullable(),
            ejectedUntil: instant.nullable(),
          }),
        )
        // A server of an earlier release has none.
        .default([]),
    }),
  ),
  pools: z
    .array(
      z.object({
        name: text,
        waiting: count,
        held: z.array(z.object({ gate: text, steps: count, since: instant })),
      }),
    )
    // A server of an earlier release has none.
    .default([]),
  flow: z.object({
    waiting: count,
    nudgeSince: instant.nullable(),
    sweepLagMs: z.number(),
    refused: z.object({ high: count, normal: count, low: count }),
  }),
});

/** The principal of the caller. */
export const principalSchema = z.object({ name: text, role: text, tenant: text.nullable() });

/** The roles, least first. */
export const roles = ['viewer', 'submitter', 'operator'] as const;

const listedSchema = summarySchema.extend({
  held: z.array(z.object({ agent: text, gate: text, since: instant })).default([]),
});

export type ListedDocument = z.infer<typeof listedSchema>;

export const listSchema = z.object({ orders: z.array(listedSchema), cursor: text.nullable() });
export const bulkPageSchema = listSchema.extend({ asOf: instant });

export const problemSchema = z.object({
  title: text,
  detail: text,
  code: text,
  errors: z.array(z.object({ field: text, message: text })).default([]),
});

const faultSettingsSchema = z.object({
  latencyMs: z.number(),
  transientRate: z.number(),
  hangRate: z.number(),
  declineRate: z.number(),
  down: z.boolean(),
});
export type FaultSettings = z.infer<typeof faultSettingsSchema>;

export const oneServiceSchema = faultSettingsSchema;
export const allServicesSchema = z.record(text, faultSettingsSchema);

/** A refusal of the suppliers, simpler than Reeve's problem documents. */
export const supplierRefusalSchema = z.object({ code: text, message: text });

export const ledgerSchema = z.object({
  entries: z.array(
    z.object({
      service: text,
      key: text,
      orderId: text.nullable(),
      state: text,
      calls: z.int(),
      effects: z.int(),
      at: instant,
    }),
  ),
});
export type LedgerEntry = z.infer<typeof ledgerSchema>['entries'][number];
