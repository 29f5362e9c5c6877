/** The schema of the activity of the last hour. */
import { z } from '@hono/zod-openapi';
import { circuitStates } from '#core/flow/circuit.ts';
import { endpointStates } from '#core/flow/endpoint-pool.ts';
import { agentGates } from '#core/model/hold.ts';
import { gateMeanings } from '#text/gate-text.ts';
import { operatedFields } from './agent-schemas.ts';
import { instant } from './history-schemas.ts';

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
    description: `Steps that wait for it, by the reason, with when the longest wait began. ${gateMeanings(agentGates)}`,
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
    counting: z.boolean().openapi({
      description:
        'Whether live orders of the last process are still being counted, until soon after they are taken back: until then, the numbers of orders and of what waits for agents leave out some. Those in Error are counted first.',
    }),
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
export type ActivityDocument = z.infer<typeof activitySchema>;
