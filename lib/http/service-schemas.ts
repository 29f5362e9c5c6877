/** The schemas of the service itself in responses: its workflows, health and caller. */
import { z } from '@hono/zod-openapi';
import { roles } from '#core/access/principal.ts';
import { singletonRules } from '#core/definition/singleton.ts';
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
        debounce: z.union([z.object({ quietMs: z.int(), atMostMs: z.int() }), z.null()]).openapi({
          description:
            'With the singleton debounce: how long after its submission an order begins unless a later one replaces it, and how long after the first of those at the latest, ms; null otherwise.',
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
export type HealthDocument = z.infer<typeof healthSchema>;
export type WorkflowsDocument = z.infer<typeof workflowsSchema>;
