/** The orders that wait, as the Supervisor reports them to the front doors: one item in the Coordination table. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { HeldBacklog } from '#core/flow/held-backlog.ts';
import { instant } from '#core/model/instant.ts';
import { priorities } from '#core/model/record.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import { toItem } from './attributes.ts';
import { coordinationItems } from './coordination-items.ts';
import { admissionKey } from './tables.ts';

const count = z.int().nonnegative();

const heldClass = z.object({
  agent: z.string(),
  priority: z.enum(priorities),
  isUnavailable: z.boolean(),
  waiting: z.int().positive(),
  flows: z.int().positive(),
  largest: z.array(z.object({ flow: z.string(), waiting: count })),
  perSecond: z.number().positive().nullable(),
  from: instant,
  waitingFrom: count,
});

const stored = z
  .object({ At: instant, Classes: z.string() })
  .transform(({ At: at, Classes }, context): HeldBacklog => {
    try {
      return { at, classes: z.array(heldClass).parse(JSON.parse(Classes)) };
    } catch {
      context.addIssue('must be the classes of a backlog');
      return z.NEVER;
    }
  });

/** Without a condition: a tick that overtakes another one is at most one sweep period older. */
export function dynamoBacklogReport(client: DynamoDBClient, table: string): BacklogReport {
  const items = coordinationItems(client, table);
  return {
    async read() {
      const item = await items.read(admissionKey);
      return stored.safeParse(item).data ?? null;
    },

    async store({ at, classes }) {
      await items.update(admissionKey, {
        UpdateExpression: 'SET #At = :at, #Classes = :classes',
        ExpressionAttributeNames: { '#At': 'At', '#Classes': 'Classes' },
        ExpressionAttributeValues: toItem({ ':at': at, ':classes': JSON.stringify(classes) }),
      });
    },
  };
}
