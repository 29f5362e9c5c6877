/** How long the replies of each agent wait: one item for each agent in the Coordination table. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { ReplyDelay } from '#core/flow/reply-delay.ts';
import { instant } from '#core/model/instant.ts';
import type { ReplyDelays } from '#ports/health/reply-delays.ts';
import { toItem } from '../attributes.ts';
import { coordinationItems } from '../coordination-items.ts';
import { replyDelayKey } from '../tables.ts';

const stored = z
  .object({ DelayMs: z.number().nonnegative(), At: instant })
  .transform(({ DelayMs: ms, At: at }): ReplyDelay => ({ ms, at }));

/** Without a condition: of notes of several instances, the last one counts. An item that this release cannot read says nothing. */
export function dynamoReplyDelays(client: DynamoDBClient, table: string): ReplyDelays {
  const items = coordinationItems(client, table);
  return {
    async read(agent) {
      const item = await items.read(replyDelayKey(agent));
      return stored.safeParse(item).data ?? null;
    },

    async note(agent, { ms, at }) {
      await items.update(replyDelayKey(agent), {
        UpdateExpression: 'SET #DelayMs = :ms, #At = :at',
        ExpressionAttributeNames: { '#DelayMs': 'DelayMs', '#At': 'At' },
        ExpressionAttributeValues: toItem({ ':ms': ms, ':at': at }),
      });
    },
  };
}
