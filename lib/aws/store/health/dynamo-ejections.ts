/** The ejected endpoints that the instances of an agent share: attributes of the item of its circuit. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { ejectionMaxMs } from '#core/flow/endpoint-member.ts';
import { instant } from '#core/model/instant.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import { toItem } from '../attributes.ts';
import { coordinationItems } from '../coordination-items.ts';
import { circuitKey } from '../tables.ts';

/** The attributes of an endpoint: until when it is ejected, and how many ejections followed each other. */
const untilPrefix = 'EjectedUntil:';
const countPrefix = 'Ejections:';
const storedCount = z.int().positive();

/** An attribute that this release cannot read says nothing: each instance then goes by its own calls. */
export function dynamoEjections(client: DynamoDBClient, table: string): Ejections {
  const items = coordinationItems(client, table);
  return {
    async read(agent) {
      const attributes = (await items.read(circuitKey(agent))) ?? {};
      return Object.entries(attributes).flatMap(([name, value]) => {
        if (!name.startsWith(untilPrefix)) return [];
        const url = name.slice(untilPrefix.length);
        const until = instant.safeParse(value);
        const count = storedCount.safeParse(attributes[`${countPrefix}${url}`]);
        return until.success && count.success
          ? [{ url, until: until.data, count: count.data }]
          : [];
      });
    },

    async store(agent, { url, until, count }, nowMs) {
      await items.update(circuitKey(agent), {
        UpdateExpression: 'SET #until = :until, #count = :count',
        ConditionExpression: 'attribute_not_exists(#until) OR NOT #until BETWEEN :now AND :latest',
        ExpressionAttributeNames: {
          '#until': `${untilPrefix}${url}`,
          '#count': `${countPrefix}${url}`,
        },
        ExpressionAttributeValues: toItem({
          ':until': until,
          ':count': count,
          ':now': nowMs,
          ':latest': nowMs + ejectionMaxMs,
        }),
      });
    },
  };
}
