/** The schemas of the service itself in responses: its workflows, activity, health and caller. */
import { z } from '@hono/zod-openapi';
import { roles } from '#core/access/principal.ts';
import { singletonRules } from '#core/definition/singleton.ts';
import { circuitStates } from '#core/flow/circuit.ts';
import { endpointStates } from '#core/flow/endpoint-pool.ts';
import { agentGates } from '#core/model/hold.ts';
import { operatedFields } from './agent-schemas.ts';
import { instant } from './history-schemas.ts';
import { stepSchema } from './schemas.ts';

export const workflowsSchema = z
  .object({
    workflows: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        fingerprint: z.string(),
        deadline: z
          .union([
            z.object({ completeWithinMs: z.int(), onLate: z.enum(['hold', 'undo']) }),
            z.null(),
          ])
          .openapi({
            description:
              'How long after its submission an order must be finished, and what happens to one that is late; null for any time.',
          }),
        singleton: z.union([z.enum(singletonRules), z.null()]).openapi({
          description:
            'What happens to a submission while an earlier order of its singleton key has not ended; null for a workflow without such a key.',
        }),
        steps: z.array(
          z.object({
            name: z.string(),
            agent: z.string(),
            pool: z
              .array(z.object({ agent: z.string(), domain: z.string(), weight: z.number() }))
              .optional()
              .openapi({
                description:
                  'The agents that may perform the step. One in doubt is tried again only within its domain.',
              }),
            failover: z.literal('undo-first').optional().openapi({
              description:
                'A round that ended in doubt is followed by an undo in that domain; then the step starts anew at any member.',
            }),
            after: z.array(z.string()),
            conditional: z.boolean(),
            undo: z.enum(['offered', 'unneeded', 'impossible']),
            policy: stepSchema.shape.policy,
          }),
        ),
      }),
    ),
  })
  .openapi('Workflows');

const count = z.int().min(0);
const aliveCounts = z
  .object({ Pending: count, Processing: count, Error: count })
  .openapi('AliveCounts');

/** What waits for an agent, or for any member of a pool. */
const waitingFields = {
  waiting: count.openapi({ description: 'Calls that are due and not sent yet.' }),
  oldestAt: instant.nullable().openapi({
    description: 'When the order that has waited longest for it last made progress.',
  }),
  held: z.array(z.object({ gate: z.enum(agentGates), steps: count, since: instant })).openapi({
    description:
      'Steps that wait for it, by the reason, with when the longest wait began. concurrency: it has as many calls as it can begin in time. circuit: its service is unavailable. limit: a limit of it is reached. drained: an operator lets no new calls go there.',
  }),
};

export const activitySchema = z
  .object({
    since: instant.openapi({ description: 'Since when it was counted.' }),
    lastSweepAt: instant.nullable(),
    minutes: z
      .array(
        z.object({
          at: instant,
          submitted: count,
          processed: count,
          undone: count,
          error: count,
        }),
      )
      .openapi({ description: 'The last hour, oldest first.' }),
    orders: aliveCounts,
    workflows: z.array(z.object({ name: z.string(), version: z.int(), orders: aliveCounts })),
    agents: z.array(
      z.object({
        name: z.string(),
        ...operatedFields,
        inFlight: count.openapi({
          description: 'Calls that were sent to the agent and have no reply yet.',
        }),
        ...waitingFields,
        succeeded: count,
        failed: count,
        timedOut: count,
        successRate: z.number().min(0).max(1).nullable(),
        latencyMs: z
          .union([z.object({ p50: z.number(), p95: z.number(), p99: z.number() }), z.null()])
          .openapi({
            description:
              'Of the last thousand calls that succeeded or timed out; a call that timed out counts with its whole deadline.',
          }),
        circuit: z.object({
          state: z.enum(circuitStates),
          epoch: count.openapi({ description: 'Every change of the state begins a new epoch.' }),
          since: instant
            .nullable()
            .openapi({ description: 'When it opened; null while it is closed.' }),
          probeAt: instant.nullable().openapi({
            description: 'When the next call tests the service; null unless it is open.',
          }),
        }),
        endpoints: z
          .array(
            z.object({
              url: z.string(),
              state: z.enum(endpointStates).openapi({
                description:
                  'ejected: not called for some seconds. failing: called although it fails, because half of the weight of the endpoints stays in use.',
              }),
              inFlight: count,
              latencyMs: z.number().nullable().openapi({
                description: 'Of its latest calls; a failed one counts with its whole deadline.',
              }),
              ejectedUntil: instant.nullable(),
              ejections: count.openapi({
                description: 'How many ejections followed each other; 0 unless it is ejected.',
              }),
            }),
          )
          .openapi({ description: 'Of its service, when it has several.' }),
      }),
    ),
    pools: z
      .array(
        z.object({
          name: z.string(),
          members: z
            .array(z.string())
            .openapi({ description: 'The agents that may get any of its calls.' }),
          ...waitingFields,
        }),
      )
      .openapi({ description: 'What waits for any member of a pool of agents.' }),
    flow: z
      .object({
        waiting: count.openapi({
          description: 'Orders that wait for a Scheduler or for the gate of an agent.',
        }),
        nudgeSince: instant.nullable().openapi({
          description: 'Since when a nudge waits for a Scheduler; null: none does.',
        }),
        sweepLagMs: count.openapi({
          description: 'How long the longest overdue order of the latest sweep had been due.',
        }),
        refused: z.object({ high: count, normal: count, low: count }).openapi({
          description: 'Orders that were refused because too many waited, by class.',
        }),
        lastRefusedAt: instant.nullable(),
      })
      .openapi({ description: 'What waits for Reeve itself.' }),
    channels: z.array(
      z.object({
        name: z.string().nullable().openapi({
          description:
            'The name of the response channel; null: the channel of alerts to operators.',
        }),
        undelivered: count.openapi({ description: 'Messages that are not delivered yet.' }),
        failingSince: instant.nullable().openapi({
          description: 'Since when delivery has failed; null while it succeeds.',
        }),
      }),
    ),
  })
  .openapi('Activity');

export const healthSchema = z
  .object({
    status: z.enum(['starting', 'ready', 'overloaded', 'degraded', 'stopping']).openapi({
      description:
        'starting: orders of the previous process are still being recovered; all routes are available. overloaded: orders were refused within the last seconds, because too many wait. degraded: see causes.',
    }),
    causes: z.array(z.string()).openapi({
      description: `Why it is not ready: sweep-late, store-damaged, or the code with which writes are refused, such as store-full; circuit-open, while a service is unavailable and its orders wait; overloaded.`,
    }),
    lastSweepAt: instant.nullable(),
  })
  .openapi('Health');

/** The document has a schema of its own, which OpenAPI publishes. */
export const descriptionSchema = z.any().openapi({ type: 'object' });

export const principalSchema = z
  .object({
    name: z.string(),
    role: z.enum([...roles, 'iam']).openapi({ description: 'iam: what its IAM policies allow.' }),
    tenant: z.string().nullable().openapi({ description: 'Null: every tenant.' }),
  })
  .openapi('Principal');

export type PrincipalDocument = z.infer<typeof principalSchema>;
export type ActivityDocument = z.infer<typeof activitySchema>;
export type HealthDocument = z.infer<typeof healthSchema>;
export type WorkflowsDocument = z.infer<typeof workflowsSchema>;
