/** The schemas of agents and their limits in responses: what operators see and change of them. */
import { z } from '@hono/zod-openapi';
import { circuitStates } from '#core/flow/circuit.ts';
import { agentStates } from '#core/view/agents-now.ts';
import { instant } from './history-schemas.ts';

const changed = z.object({ by: z.string(), at: instant });
const count = z.int().min(0).nullable();

/** What operators decided of an agent. */
export const operatedFields = {
  state: z.enum(agentStates).openapi({
    description:
      'draining: it gets no new calls, and some may be in flight. drained: it has none in flight. circuit-open: its service is unavailable.',
  }),
  drained: changed
    .nullable()
    .openapi({ description: 'Who drained it, and when; null: it is not drained.' }),
  member: z
    .object({
      pool: z.string(),
      domain: z.string().openapi({
        description: 'A step in doubt is tried again only at members of its domain.',
      }),
      weight: z.int().openapi({
        description: 'Its share of the calls that may go to any member, while it is not drained.',
      }),
      changed: changed.nullable().openapi({
        description: 'Who changed the weight; null: it is that of the definition.',
      }),
    })
    .nullable()
    .openapi({ description: 'What it is in its pool; null: it is in none.' }),
};

export const agentSchema = z
  .object({
    name: z.string(),
    ...operatedFields,
    circuit: z.object({
      state: z.enum(circuitStates),
      since: instant
        .nullable()
        .openapi({ description: 'When it opened; null while it is closed.' }),
    }),
    inFlight: count.openapi({ description: 'Calls in flight; null where they are not known.' }),
    room: count.openapi({
      description: 'How many more calls it can begin now; null where that is not known.',
    }),
    waiting: count.openapi({
      description: 'Steps that wait for it alone; on AWS as counted by the latest sweep.',
    }),
  })
  .openapi('Agent');

const amountFields = {
  rate: z
    .object({ count: z.int(), per: z.int(), burst: z.int() })
    .nullable()
    .openapi({ description: '`count` calls per `per` ms, `burst` of which may begin together.' }),
  atOnce: z.int().nullable().openapi({ description: 'Calls in flight.' }),
};

export const limitSchema = z
  .object({
    name: z.string().openapi({
      description: 'The agent or pool, and its limit.',
      example: 'payment/per-tenant',
    }),
    byKey: z.boolean().openapi({
      description: 'true: each value of its key, such as each tenant, has this amount.',
    }),
    ...amountFields,
    defined: z.object(amountFields).openapi({ description: 'What its definition allows.' }),
    changed: changed
      .nullable()
      .openapi({ description: 'Who changed it; null: it allows what its definition says.' }),
  })
  .openapi('Limit');

export const agentsSchema = z
  .object({
    agents: z.array(agentSchema),
    limits: z.array(limitSchema).openapi({ description: 'The limits of agents and pools.' }),
    pools: z.array(
      z.object({
        name: z.string(),
        members: z.array(z.string()),
        heldBack: z.boolean().openapi({ description: 'Whether no member takes new calls.' }),
        waiting: count.openapi({ description: 'Steps that wait for any member.' }),
      }),
    ),
  })
  .openapi('Agents');

export type AgentDocument = z.infer<typeof agentSchema>;
export type LimitDocument = z.infer<typeof limitSchema>;
export type AgentsDocument = z.infer<typeof agentsSchema>;
